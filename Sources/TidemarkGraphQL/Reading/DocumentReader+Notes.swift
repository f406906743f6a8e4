import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// References, paths, and what a read records for watchers.
extension DocumentReader where Source: ~Escapable {
    /// The path of the current value in `data`.
    var responsePath: ResponsePath { plan.responsePath(path) }

    /// Records the look-up of an entity, which the following fields belong to.
    mutating func visit(_ visit: EntityVisit, fieldCount: Int) {
        reading.visits.append(visit)
        guard options.notesPlaces else { return }
        let number = reading.places?.open(
            visit, fieldCount: fieldCount, path: plan.responsePath(path[(place?.depth ?? 0)...])[...],
            outer: place?.number)
        place = number.map { ($0, path.count) }
    }

    /// Returns the resource of a root field whose list is maintained by a rule.
    static func listResource(_ keys: [GraphQLKey]) -> [UInt8] {
        var bytes = Array("{\"value\":".utf8)
        StoredValue.list(keys.map { .reference($0) }).append(to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    mutating func checkStale(since moment: Int64, _ key: ReadKey) throws(DocumentMiss) {
        guard freshness.takes(max(0, freshness.now.subtractingClamped(moment))) else { throw miss(.stale, key) }
        reading.isStale = true
    }

    /// Returns the entity that a value refers to; nil for an embedded object.
    @inline(__always)
    func reference(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ field: CollectedField
    ) -> ReadKey? {
        StoredReference.read(range, of: bytes, declared: field.objectTypename, plan.rules)
    }

    /// Returns the type of the first object in a value, for the policy; nil if it holds none.
    func foundType(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> ByteString? {
        var first = range
        while bytes[first.lowerBound] == UInt8(ascii: "["), first.count > 2 {
            let at = first.lowerBound + 1
            first = at..<StoredScan.end(bytes, at)
        }
        guard bytes[first.lowerBound] == UInt8(ascii: "{") else { return nil }
        return StoredReference.key(first, of: bytes, declared: nil, plan.rules)?.type
            ?? StoredReference.typename(first, of: bytes)
    }

    /// Records the sequence of a field.
    ///
    /// - Parameter name: The storage name of a field of the object; nil if the context's path is that of the field.
    @inline(__always)
    mutating func noteSequence(of name: ByteString?, in context: borrowing FieldContext) {
        switch context.sequences {
        case .one(nil): return
        case .one(let sequence?): note(sequence)
        case .byField: noteOwnSequence(of: name, in: context)
        }
    }

    /// True if the sequence of a field depends on its name.
    @inline(__always)
    func needsName(_ context: borrowing FieldContext) -> Bool {
        if case .byField = context.sequences { true } else { false }
    }

    @inline(never)
    private mutating func noteOwnSequence(of name: ByteString?, in context: borrowing FieldContext) {
        guard let dates = context.view?.dates else { return }
        var path = context.storagePath
        if let name { path = path.bytes.isEmpty ? name : StoragePath.joined(path, name) }
        note(dates.write(of: path, isInsideList: context.isInsideList))
    }

    mutating func note(_ write: FieldTimes.Write) {
        if let sequence = write.sequence { note(sequence) }
    }

    private mutating func note(_ sequence: EventSequence) {
        reading.asOf = min(reading.asOf ?? sequence, sequence)
        if let place { reading.places?.note(sequence, of: place.number) }
    }

    func miss(_ reason: DocumentMiss.Reason, _ key: ReadKey) -> DocumentMiss {
        DocumentMiss(path: responsePath, reason: reason, key: key.key)
    }
}

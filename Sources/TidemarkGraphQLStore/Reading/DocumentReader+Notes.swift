import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// References, places, and the notes that a read takes.
extension DocumentReader {
    /// Notes that an entity was looked up: what is read next is of it.
    mutating func visit(_ visit: EntityVisit, fieldCount: Int) {
        reading.visits.append(visit)
        guard options.notesPlaces else { return }
        let number = reading.places?.open(
            visit, fieldCount: fieldCount, path: path[(place?.depth ?? 0)...], outer: place?.number)
        place = number.map { ($0, path.count) }
    }

    /// The resource of a root field whose list follows a rule.
    func listResource(_ keys: [GraphKey]) -> [UInt8] {
        var bytes = Array("{\"value\":".utf8)
        StoredValue.list(keys.map { .reference($0) }).append(to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    mutating func checkStale(since moment: Int64, _ key: GraphKey) throws(GraphMiss) {
        guard freshness.takes(max(0, freshness.now.subtractingClamped(moment))) else { throw miss(.stale, key) }
        reading.isStale = true
    }

    /// Returns the entity that a value refers to; nil for an embedded object.
    func reference(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ field: CollectedField
    ) -> GraphKey? {
        StoredReference.key(range, of: bytes, declared: field.objectTypename, plan.rules)
    }

    /// Returns the type of the first object in a value, for the policy; nil when it holds none.
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

    /// Notes the place that a field stands for.
    mutating func noteSequence(of name: ByteString, in context: FieldContext) {
        guard let dates = context.view?.dates else { return }
        if dates.named.isEmpty { return note(dates.rest) }
        let path = context.storagePath.bytes.isEmpty ? name : StoragePath.joined(context.storagePath, name)
        note(dates.write(of: path, isInsideList: context.isInsideList))
    }

    mutating func note(_ write: FieldTimes.Write) {
        guard let sequence = write.sequence else { return }
        reading.asOf = min(reading.asOf ?? sequence, sequence)
        if let place { reading.places?.note(sequence, of: place.number) }
    }

    func miss(_ reason: GraphMiss.Reason, _ key: GraphKey?) -> GraphMiss {
        GraphMiss(path: path, reason: reason, key: key)
    }
}

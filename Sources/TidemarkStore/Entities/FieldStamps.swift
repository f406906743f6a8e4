import TidemarkJSON
import TidemarkModel

/// When the fields of an entity were written, if not all at once.
///
/// The resource's fields bound it: a write removes the names that the resource no longer has.
package struct FieldStamps: Hashable, Sendable {
    /// The stamp of every field that `named` does not list.
    package var rest: EntityStamp
    /// The stamps of single fields. The key is the unescaped name of a top-level field, or the path of a field inside
    /// embedded objects: names joined by ``separator``.
    package var named: [ByteString: EntityStamp]
    /// How much of the entity is known.
    package var completeness: Completeness

    /// Creates the stamps of an entity.
    package init(rest: EntityStamp, named: [ByteString: EntityStamp], completeness: Completeness = .whole) {
        self.rest = rest
        self.named = named
        self.completeness = completeness
    }

    /// The stamp of a field: its own, or else ``rest``.
    package subscript(field: ByteString) -> EntityStamp { named[field] ?? rest }

    /// How many bytes the stamps take in memory: the names, and a table entry for each name and for the rest.
    ///
    /// - Complexity: O(names).
    var byteCount: Int {
        named.keys.reduce(FieldStamps.placeByteCount) { $0 + FieldStamps.placeByteCount + $1.bytes.count }
    }

    /// The size of one table entry: name and stamp take 40 bytes, the header of the name's array 32, and a table is
    /// half full at worst.
    private static let placeByteCount = 112

    /// Returns the earliest of all fields' times and a given one.
    func oldest(from moment: Int64) -> Int64 {
        named.values.reduce(min(moment, rest.writtenAt)) { min($0, $1.writtenAt) }
    }

    /// Returns true if every field of a resource has a stamp of its own that equals this one.
    ///
    /// - Complexity: O(names), and O(resource) when all names have it.
    func areAll(_ stamp: EntityStamp, of resource: UnsafeRawBufferPointer) -> Bool {
        guard named.values.allSatisfy({ $0 == stamp }) else { return false }
        let object = JSONObject(resource, range: 0..<resource.count)
        return object.members.count <= named.count
            && object.members.allSatisfy { named[ByteString(object.unescapedName($0))] != nil }
    }

    // MARK: Paths

    /// The byte that joins the names of a path.
    package static let separator: UInt8 = 0

    /// Returns the first name of a path: the top-level field.
    static func topLevel(_ path: ByteString) -> ByteString {
        guard let end = path.bytes.firstIndex(of: separator) else { return path }
        return ByteString(path.bytes[..<end])
    }

    /// Sets the stamps of the fields that a write set.
    ///
    /// - Complexity: O(names + fields · their levels).
    mutating func date(_ fields: WrittenFields, as stamp: EntityStamp) {
        fields.date(&named, rest: rest, as: stamp)
    }

    /// Returns true if a condition holds for the stamp of some path below a field.
    ///
    /// - Complexity: O(names).
    func hasInside(_ field: ByteString, where condition: (EntityStamp) -> Bool) -> Bool {
        let prefix = field.bytes + [FieldStamps.separator]
        return named.contains { $0.key.bytes.starts(with: prefix) && condition($0.value) }
    }

    // MARK: Encoded size

    /// The most bytes that ``encode(into:)`` appends: 16 MiB. Only an entity of more than 4 MiB with tiny fields can
    /// reach it.
    package static let encodedByteCountMax = 16 << 20
    /// The size of the encoded completeness, rest and count.
    private static let encodedHeadByteCount = 25
    /// The size of an encoded name's length and stamp.
    private static let encodedNameByteCount = 24

    /// How many bytes ``encode(into:)`` appends.
    ///
    /// - Complexity: O(names).
    var encodedByteCount: Int {
        named.keys.reduce(FieldStamps.encodedHeadByteCount) {
            $0 + FieldStamps.encodedNameByteCount + $1.bytes.count
        }
    }

    /// Keeps the encoded size within a bound. First removes names that the resource no longer has; if that is not
    /// enough, all fields get the oldest date. A field may then look older than it is, but never newer.
    ///
    /// - Complexity: O(names); also O(resource) past the bound.
    mutating func fit(_ resource: UnsafeRawBufferPointer, byteCountMax: Int = FieldStamps.encodedByteCountMax) {
        guard encodedByteCount > byteCountMax else { return }
        let present = Set(JSONObject.fieldNames(of: resource))
        named = named.filter { present.contains(FieldStamps.topLevel($0.key)) }
        guard encodedByteCount > byteCountMax else { return }
        rest = named.values.reduce(rest) { $1.writtenAt < $0.writtenAt ? $1 : $0 }
        named = [:]
    }

    // MARK: Bytes

    /// The times that are accepted from a file, which can be forged; in milliseconds since 1970.
    private static let moments: ClosedRange<Int64> = -1 << 60...1 << 60

    /// Appends the form that journals store: completeness, rest, count, and each name with its stamp, sorted by bytes.
    package func encode(into bytes: inout [UInt8]) {
        bytes.append(completeness.rawValue)
        FieldStamps.append(rest, to: &bytes)
        FieldStamps.append(UInt32(named.count), to: &bytes)
        for name in named.keys.sorted() {
            FieldStamps.append(UInt32(name.bytes.count), to: &bytes)
            bytes.append(contentsOf: name.bytes)
            FieldStamps.append(self[name], to: &bytes)
        }
    }

    /// Decodes the form that ``encode(into:)`` appends.
    ///
    /// - Returns: nil for no bytes, and for bytes that ``encode(into:)`` cannot have appended.
    package init?(encoded bytes: [UInt8]) {
        guard let completeness = bytes.first.flatMap({ Completeness(rawValue: $0) }) else { return nil }
        var at = 1
        func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
            let count = MemoryLayout<Value>.size
            guard bytes.count - at >= count else { return nil }
            defer { at += count }
            return bytes[at..<at + count].reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
        }
        func stamp() -> EntityStamp? {
            guard let sequence = integer(Int64.self), let generation = integer(UInt32.self),
                let writtenAt = integer(Int64.self), FieldStamps.moments ~= writtenAt
            else { return nil }
            return EntityStamp(
                sequence: sequence < 0 ? nil : EventSequence(sequence), packedGeneration: generation,
                writtenAt: writtenAt)
        }
        guard let rest = stamp(), let count = integer(UInt32.self) else { return nil }
        var named: [ByteString: EntityStamp] = [:]
        for _ in 0..<count {
            guard let nameCount = integer(UInt32.self), bytes.count - at >= Int(nameCount) else { return nil }
            let name = ByteString(bytes[at..<at + Int(nameCount)])
            at += Int(nameCount)
            guard let own = stamp() else { return nil }
            named[name] = own
        }
        self.init(rest: rest, named: named, completeness: completeness)
    }

    /// Returns the stamps with times that ages can be computed from, after correcting those of a wrong clock.
    func dated(_ doubts: DoubtfulTimes) -> FieldStamps {
        guard doubts != .none else { return self }
        var dated = self
        dated.rest.writtenAt = doubts.dated(rest.writtenAt)
        for name in named.keys { dated.named[name]?.writtenAt = doubts.dated(named[name]?.writtenAt ?? 0) }
        return dated
    }

    private static func append(_ stamp: EntityStamp, to bytes: inout [UInt8]) {
        append(UInt64(bitPattern: stamp.sequence?.rawValue ?? -1), to: &bytes)
        append(stamp.packedGeneration, to: &bytes)
        append(UInt64(bitPattern: stamp.writtenAt), to: &bytes)
    }

    private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

extension EntityStore {
    /// Dates the fields that a write sets. Call it before the write.
    ///
    /// - Parameter resource: The resource to be written. If the write sets all of its fields, one date is enough.
    mutating func dateFields(
        _ fields: WrittenFields?, of index: SlotIndex, _ resource: UnsafeRawBufferPointer, _ stamp: EntityStamp
    ) {
        guard let fields else {
            guard self.slot(index).pointee.flags.contains(.hasFieldStamps) else { return }
            setFieldStamps(nil, of: index)
            return
        }
        var stamps = takeFieldStamps(of: index) ?? FieldStamps(rest: self.stamp(of: index), named: [:])
        if stamps.named.count > fields.wholes.count * 2 + FieldStamps.pruneCountMin {
            let present = Set(JSONObject.fieldNames(of: payload(of: index)))
            stamps.named = stamps.named.filter { present.contains(FieldStamps.topLevel($0.key)) }
        }
        stamps.date(fields, as: stamp)
        stamps.completeness = stamps.completeness.after(stamp.writer)
        stamps.fit(resource)
        let isOneDate = stamps.completeness == .whole && stamps.areAll(stamp, of: resource)
        setFieldStamps(isOneDate ? nil : stamps, of: index)
    }

    /// Replaces the stamps of an entity. Only this function and ``takeFieldStamps(of:)`` change `fieldStamps`.
    mutating func setFieldStamps(_ stamps: FieldStamps?, of index: SlotIndex) {
        _ = takeFieldStamps(of: index)
        guard let stamps else { return }
        fieldStampByteCount += stamps.byteCount
        fieldStamps[index] = stamps
        self.slot(index).pointee.flags.insert(.hasFieldStamps)
    }

    /// Removes and returns the stamps of an entity, so that they can be changed without a copy.
    private mutating func takeFieldStamps(of index: SlotIndex) -> FieldStamps? {
        guard let stamps = fieldStamps.removeValue(forKey: index) else { return nil }
        fieldStampByteCount -= stamps.byteCount
        self.slot(index).pointee.flags.remove(.hasFieldStamps)
        return stamps
    }

    /// Returns when the oldest field was written, in milliseconds since 1970.
    ///
    /// - Complexity: O(fields with a stamp of their own).
    func oldestWrite(of index: SlotIndex) -> Int64 {
        let whole = stamp(of: index).writtenAt
        guard self.slot(index).pointee.flags.contains(.hasFieldStamps) else { return whole }
        return fieldStamps[index]?.oldest(from: whole) ?? whole
    }

    /// Returns the stamps of fields inside embedded objects that have one of their own, sorted by path.
    ///
    /// - Complexity: O(n log n) for n stamps.
    package func nestedFields(of index: SlotIndex) -> [(path: ByteString, stamp: EntityStamp)] {
        guard let stamps = fieldStamps[index] else { return [] }
        let present = Set(JSONObject.fieldNames(of: payload(of: index)))
        return stamps.named.filter {
            $0.key.bytes.contains(FieldStamps.separator) && present.contains(FieldStamps.topLevel($0.key))
        }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns each top-level field with its stamp, in the order of the resource.
    package func fields(of index: SlotIndex) -> [(name: ByteString, stamp: EntityStamp)] {
        let stamps = fieldStamps[index]
        let whole = stamp(of: index)
        return JSONObject.fieldNames(of: payload(of: index)).map { ($0, stamps?[$0] ?? whole) }
    }
}

extension FieldStamps {
    /// How many stamps there may be, besides twice the fields of a write, before the write looks for obsolete names:
    /// 32.
    fileprivate static let pruneCountMin = 32
}

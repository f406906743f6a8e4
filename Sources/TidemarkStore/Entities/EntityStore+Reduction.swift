import TidemarkJSON
import TidemarkModel

/// Reduced entities: only some of their fields are left.
extension EntityStore {
    /// Returns how much of an entity is known.
    ///
    /// - Complexity: O(1).
    func completeness(of index: SlotIndex) -> Completeness {
        guard slot(index).pointee.flags.contains(.hasFieldStamps) else { return .whole }
        return fieldStamps[index]?.completeness ?? .whole
    }

    /// Reduces an entity to some of its fields and its ids. Its stamps and its place in the LRU list stay.
    ///
    /// - Parameter fields: The unescaped names of the fields that stay.
    mutating func reduce(_ index: SlotIndex, to fields: Set<[UInt8]>) {
        let kept = fields.union([Array("id".utf8), Array("uuid".utf8)])
        let payload = JSONObject.selection(of: self.payload(of: index), fields: kept)
        var stamps = fieldStamps[index] ?? FieldStamps(rest: stamp(of: index), named: [:])
        stamps.named = stamps.named.filter { kept.contains(FieldStamps.topLevel($0.key).bytes) }
        stamps.completeness = .reduced
        setFieldStamps(stamps, of: index)
        if slot(index).pointee.flags.contains(.hasNewPayload) {
            dirtyByteCount += payload.count - Int(slot(index).pointee.payloadCount)
        }
        payload.withUnsafeBytes { store($0, in: index) }
        markDirty(index, hasNewPayload: true)
    }
}

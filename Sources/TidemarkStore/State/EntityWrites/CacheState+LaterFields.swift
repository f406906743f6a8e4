import TidemarkJSON
import TidemarkModel

/// Applies events to entities of which a response or a confirmation wrote some fields for a later position. Those
/// fields stay; the others follow the event, as if the response had arrived after it.
///
/// - Source: Protocol/queries.md, answers; Protocol/graphql.md, storing.
extension CacheState {
    /// Returns the resource that an event leaves of an entity, and the paths of members that only the event has, inside
    /// objects that stay.
    ///
    /// - Parameter rules: The merge rules of the event; nil if it replaces the resource.
    func resource(
        after event: UnsafeRawBufferPointer, of index: SlotIndex, rules: MergeRules?, keeping later: LaterFields
    ) -> (resource: [UInt8], earlier: [ByteString]) {
        var base = Array(event)
        if let rules {
            let payload = entities.payload(of: index)
            if !entities.completeness(of: index).isEvaluable {
                base = Merge.knowable(event, over: payload, noMergeFields: rules.noMergeFields)
            }
            base = base.withUnsafeBytes {
                Merge.merged($0, into: payload, noMergeFields: rules.noMergeFields, keepsIdentity: false)
            }
        }
        return later.kept(in: base)
    }

    /// Writes the fields of an event for which no later value is known.
    ///
    /// - Returns: `.superseded` if the entity did not change.
    mutating func write(
        _ event: UnsafeRawBufferPointer, into index: SlotIndex, rules: MergeRules?, keeping later: LaterFields,
        stamp: EntityStamp
    ) -> WriteOutcome {
        let (resource, earlier) = resource(after: event, of: index, rules: rules, keeping: later)
        guard resource.count <= entityByteCountMax else { return .tooLarge }
        var stamps = FieldStamps(rest: stamp, named: later.stamps)
        if rules != nil {
            stamps = entities.fieldStamps[index] ?? FieldStamps(rest: entities.stamp(of: index), named: [:])
            let fields = JSONObject.fieldNames(of: event).filter { later.stamps[$0] == nil }
            stamps.date(WrittenFields(fields), as: stamp)
            stamps.named.merge(later.stamps) { _, kept in kept }
            stamps.completeness = stamps.completeness.after(.event)
        }
        for path in earlier { stamps.named[path] = stamp }
        let isWritten = resource.withUnsafeBytes { overwrite(index, $0, around: stamps, at: stamp) }
        noteWrite(of: index, stamp.sequence)
        return isWritten ? .written : .superseded
    }

    /// Removes the fields of an entity that a delete removed before a response wrote the others.
    mutating func removeEarlierFields(of index: SlotIndex, keeping later: LaterFields, stamp: EntityStamp) {
        let stamps = FieldStamps(rest: stamp, named: later.stamps)
        later.resource.withUnsafeBytes { _ = overwrite(index, $0, around: stamps, at: stamp) }
    }

    /// Writes a resource around fields that stay. Returns true if the entity changed for readers.
    mutating func overwrite(
        _ index: SlotIndex, _ resource: UnsafeRawBufferPointer, around stamps: FieldStamps, at stamp: EntityStamp
    ) -> Bool {
        noteBefore(at: index)
        if keptEvents.notesWrites { keepWrite(of: index, before: entities.payload(of: index), after: resource) }
        guard !queries.isEmpty else { return entities.write(around: stamps, index, payload: resource) }
        let handle = prepareWrite(index)
        let completeness = entities.completeness(of: index)
        let isChanged = entities.write(around: stamps, index, payload: resource)
        if isChanged || completeness != entities.completeness(of: index) {
            followWrite(of: index, handle: handle, at: stamp.writtenAt)
        }
        if let handle { noteEndedLog(handle, by: stamp) }
        return isChanged
    }
}

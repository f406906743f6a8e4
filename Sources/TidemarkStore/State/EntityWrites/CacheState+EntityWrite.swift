import TidemarkJSON
import TidemarkModel

/// The only functions through which entities are written, by events, responses, transactions, confirmations and retried
/// lines. Lists and observers follow each write here, and nowhere else.
extension CacheState {
    /// Stores a new entity, and adds it to the lists that it belongs to.
    @discardableResult
    mutating func insert(
        _ identity: EntityIdentity, _ resource: UnsafeRawBufferPointer, stamp: EntityStamp
    ) -> SlotIndex {
        if !followedTypes.isEmpty { noteBefore(identity.storedKey) }
        residency.noteKnown(identity)
        let index = entities.insert(identity, payload: resource, stamp: stamp)
        if keptEvents.notesWrites { keepWrite(of: index, before: nil, after: resource) }
        libraries[identity.library].entityCount += 1
        if isUnstored(identity.type) { libraries[identity.library].unstoredCount += 1 }
        libraries[identity.library].isChanged = true
        if !queries.isEmpty { followInsert(of: index, at: stamp.writtenAt) }
        return index
    }

    mutating func write(
        _ resource: UnsafeRawBufferPointer, into index: SlotIndex, rules: MergeRules?, keepsIdentity: Bool,
        stamp: EntityStamp
    ) -> WriteOutcome {
        guard let rules else {
            guard resource.count <= entityByteCountMax else { return .tooLarge }
            overwrite(index, resource, stamp: stamp)
            noteWrite(of: index, stamp.sequence)
            return .written
        }
        // A merge into fields that a response delivered keeps only the fields that the response would, because lists
        // return them as all that there is.
        if !entities.completeness(of: index).isEvaluable {
            let known = Merge.knowable(
                resource, over: entities.payload(of: index), noMergeFields: rules.noMergeFields)
            return known.withUnsafeBytes {
                merge($0, into: index, rules: rules, keepsIdentity: keepsIdentity, stamp: stamp)
            }
        }
        return merge(resource, into: index, rules: rules, keepsIdentity: keepsIdentity, stamp: stamp)
    }

    private mutating func merge(
        _ resource: UnsafeRawBufferPointer, into index: SlotIndex, rules: MergeRules, keepsIdentity: Bool,
        stamp: EntityStamp
    ) -> WriteOutcome {
        let merged = Merge.merged(
            resource, into: entities.payload(of: index), noMergeFields: rules.noMergeFields,
            keepsIdentity: keepsIdentity)
        guard merged.count <= entityByteCountMax else { return .tooLarge }
        let fields = WrittenFields(JSONObject.fieldNames(of: resource))
        merged.withUnsafeBytes { overwrite(index, $0, fields: fields, stamp: stamp) }
        noteWrite(of: index, stamp.sequence)
        return .written
    }

    /// Replaces the value of an entity, and updates lists if it changed.
    ///
    /// - Parameter fields: The fields that were written; nil for all.
    mutating func overwrite(
        _ index: SlotIndex, _ resource: UnsafeRawBufferPointer, fields: WrittenFields? = nil, stamp: EntityStamp
    ) {
        noteBefore(at: index)
        if keptEvents.notesWrites { keepWrite(of: index, before: entities.payload(of: index), after: resource) }
        guard !queries.isEmpty else {
            _ = entities.write(index, payload: resource, stamp: stamp, fields: fields)
            return
        }
        let handle = prepareWrite(index)
        let completeness = entities.completeness(of: index)
        // Becoming complete is a change for readers, even when the bytes are equal.
        if entities.write(index, payload: resource, stamp: stamp, fields: fields)
            || completeness != entities.completeness(of: index)
        {
            followWrite(of: index, handle: handle, at: stamp.writtenAt)
        }
        if let handle { noteEndedLog(handle, by: stamp) }
    }

    /// Removes an entity from the store, with its row.
    ///
    /// - Returns: The entity's handle in the reverse index; nil if nothing names it.
    mutating func drop(_ index: SlotIndex) -> ListHandle? {
        let library = entities.library(of: index)
        noteBefore(at: index)
        if keptEvents.notesWrites { keepWrite(of: index, before: entities.payload(of: index), after: nil) }
        let handle = prepareWrite(index)
        if isUnstored(entities.type(of: index)) { libraries[library].unstoredCount -= 1 }
        entities.remove(index)
        libraries[library].entityCount -= 1
        libraries[library].isChanged = true
        return handle
    }

    /// Remembers a write for responses that are on their way.
    mutating func noteWrite(of index: SlotIndex, _ sequence: EventSequence?) {
        if isAwaitingAnswers { noteWrite(of: entities.key(of: index), sequence) }
    }

    /// Remembers a write of an entity that stays evicted: an older response must not store its old value again.
    mutating func noteWrite(of key: StoredKey, _ sequence: EventSequence?) {
        guard isAwaitingAnswers else { return }
        recentWrites.append(key, sequence: sequence, isLate: queries.recorder.lateSequence != nil)
    }
}

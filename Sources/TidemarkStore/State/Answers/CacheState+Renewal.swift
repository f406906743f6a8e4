import TidemarkJSON
import TidemarkModel

extension CacheState {
    /// Restarts the ages of a stored response's entities and list, because the server confirmed the response.
    ///
    /// Nothing that observers see changes. An entity that was written, removed or evicted since the response was stored
    /// is left alone, because the confirmation concerns the older value.
    ///
    /// - Parameters:
    ///   - batch: The resources of the response, as they were stored.
    ///   - key: The query whose list the response made.
    ///   - asOf: The position of the response when it was stored; nil if unknown.
    ///   - start: What was known when the confirming request was made; nil if it is made now.
    /// - Precondition: The keys of the batch that only the journal has were loaded.
    /// - Returns: How many entities were renewed.
    /// - Complexity: O(bytes of the batch).
    package mutating func renew(
        _ batch: EventBatch, of key: QueryKey, asOf: EventSequence?, start: FetchStart? = nil, at now: Int64
    ) -> Int {
        guard !isCleared(key.library, since: start), let library = libraries.index(of: key.library) else { return 0 }
        var count = 0
        beginUnit(isMulti: true)
        batch.withBytes { bytes in
            batch.members.withUnsafeBufferPointer { members in
                for event in batch.events {
                    let view = EventView(
                        event: event, members: members, bytes: bytes, source: .upstream, offset: 0, byteCount: 0)
                    guard let type = admitType(bytes[event.type]) else { continue }
                    for member in view.ownMembers {
                        let identity = identity(of: member, in: view, library: library, type: type)
                        if renew(identity, bytes[member.resource], asOf: asOf, at: now) { count += 1 }
                    }
                }
            }
        }
        if let query = queries.find(key), queries[query].isStored, !queries[query].isLocal {
            queries.beginChange(of: query)
            queries[query].renew(at: now)
            if let start, let cause = staleCause(of: query, in: key.library, asOf: nil, since: start) {
                markStale(query, because: cause, at: now)
            }
            queries.markDirty(query)
            queries.touch(query)
            isUnwritten = true
        }
        endUnit(at: now)
        return count
    }

    /// Renews one entity, if its stored fields equal those of the response.
    private mutating func renew(
        _ identity: EntityIdentity, _ resource: UnsafeRawBufferPointer, asOf: EventSequence?, at now: Int64
    ) -> Bool {
        guard let index = entities.find(identity) else { return false }
        var stamp = entities.stamp(of: index)
        if let sequence = stamp.sequence, let asOf, sequence > asOf { return false }
        let payload = entities.payload(of: index)
        guard Merge.assigned(resource, into: payload).elementsEqual(payload) else { return false }
        let copy = Array(payload)
        stamp.writtenAt = max(now, stamp.writtenAt)
        stamp.writer = .answer
        stamp.isPartial = true
        isUnwritten = true
        let fields = WrittenFields(JSONObject.fieldNames(of: resource))
        copy.withUnsafeBytes { overwrite(index, $0, fields: fields, stamp: stamp) }
        return true
    }
}

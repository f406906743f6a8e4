import TidemarkModel

extension CacheState {
    /// Begins the ages of an answer's entities and list again: the server says that the answer still holds.
    ///
    /// Nothing that observers see changes. An entity that was written, removed or evicted since the answer was stored
    /// is left alone: the confirmation speaks of the older value.
    ///
    /// - Parameters:
    ///   - asOf: The position that the answer stood for when it was stored; nil: unknown.
    ///   - start: The mark of the question that the server confirmed it to; nil: it was confirmed now.
    /// - Precondition: The keys of the batch that are elsewhere were loaded.
    /// - Returns: The number of entities that were renewed.
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

    /// Renews one entity if it is as the answer says.
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

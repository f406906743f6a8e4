import TidemarkModel

/// The keys and slots of the next events, to prefetch their memory in time.
struct Lookahead {
    /// The number of events between one prefetch stage and the next, and between the last stage and the use.
    static let stride = 4
    private static let count = 16

    private var identities: [EntityIdentity?] = Array(repeating: nil, count: Lookahead.count)
    private var slots: [UInt32] = Array(repeating: EntityStore.none, count: Lookahead.count)

    /// Prefetches for the events after event `index`. It assumes that they are of the library and type seen last: a
    /// wrong guess costs one useless memory fetch.
    @inline(__always)
    mutating func look(
        from index: Int, in batch: EventBatch, store: borrowing EntityStore, library: LibraryIndex, type: TypeIndex
    ) {
        let far = index + 3 * Lookahead.stride
        if far < batch.events.count {
            let event = batch.events[far]
            var identity: EntityIdentity?
            if event.memberCount > 0, batch.members[Int(event.firstMember)].isUUID {
                let uuid = batch.members[Int(event.firstMember)].uuid
                let found = EntityIdentity(library: library, type: type, uuid: uuid, seed: store.seed)
                store.prefetchTable(found.hash)
                identity = found
            }
            identities[far % Lookahead.count] = identity
        }
        let middle = index + 2 * Lookahead.stride
        if middle < batch.events.count {
            slots[middle % Lookahead.count] =
                identities[middle % Lookahead.count].map { store.prefetchSlot($0) } ?? EntityStore.none
        }
        let near = index + Lookahead.stride
        if near < batch.events.count { store.prefetchPayload(slots[near % Lookahead.count]) }
    }
}

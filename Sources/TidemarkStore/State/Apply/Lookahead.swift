import TidemarkModel

/// The keys and slots of the next events, whose memory is prefetched in time.
struct Lookahead {
    /// How many events there are between prefetch stages, and between the last stage and the use.
    static let stride = 4
    private static let count = 16

    private var identities: [EntityIdentity?] = Array(repeating: nil, count: Lookahead.count)
    private var slots: [SlotIndex] = Array(repeating: EntityStore.none, count: Lookahead.count)

    /// Prefetches for the events after `index`. It assumes that they have the library and type seen last: a wrong guess
    /// costs one useless fetch from memory.
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

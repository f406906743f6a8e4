import TidemarkModel

/// A list as it was last given to a reader, kept until the list or one of its entities changes.
///
/// Reading a list of 1,000 again would copy 1,000 resources and their keys. Every element of a kept list is complete
/// and in memory, so each reader gets the same list, whichever fields it selects.
struct KeptList {
    let keys: [EntityKey]
    let resources: [[UInt8]]
    /// The slots of the entities. Valid because the list is dropped before one of them is evicted from memory.
    let slots: [SlotIndex]
    let byteCount: Int

    init(keys: [EntityKey], resources: [[UInt8]], slots: [SlotIndex]) {
        self.keys = keys
        self.resources = resources
        self.slots = slots
        byteCount = resources.reduce(0) { $0 + $1.count } + resources.count * KeptList.elementByteCount
    }

    /// How many bytes an element takes beside its resource: its key and the overhead of arrays.
    private static let elementByteCount = 160
}

/// Lists kept as they were last given to a reader.
extension QueryIndex {
    /// The most kept lists. They are searched linearly.
    static let keptListCountMax = 64

    /// Keeps a list as it was given to a reader. Past the bounds, the list kept longest is dropped.
    mutating func keep(_ list: KeptList, of query: QueryID) {
        dropKept(of: query)
        guard list.byteCount <= keptListByteCountMax else { return }
        while keptLists.count >= QueryIndex.keptListCountMax
            || keptListByteCount + list.byteCount > keptListByteCountMax
        {
            dropKept(of: keptLists[0])
        }
        keptLists.append(query)
        keptListByteCount += list.byteCount
        self[query].keep(list)
    }

    /// Drops the kept form of a list, because the list changes.
    @inline(__always)
    mutating func dropKept(of query: QueryID) {
        if self[query].kept != nil { removeKept(of: query) }
    }

    /// Drops the kept forms of all lists, because memory is short. The next reader of a list builds its form again.
    mutating func dropAllKept() {
        while let query = keptLists.last { removeKept(of: query) }
    }

    private mutating func removeKept(of query: QueryID) {
        keptListByteCount -= self[query].dropKept()
        keptLists.removeAll { $0 == query }
    }

    /// Returns true if a key must stay in memory. Otherwise drops the kept lists with the entity, because the caller is
    /// about to evict it.
    mutating func keepsInMemory(_ key: StoredKey) -> Bool {
        guard let handle = keys.handle(of: key) else { return false }
        if keys.isPinned(handle) { return true }
        dropKept(holding: handle)
        return false
    }

    /// Drops the kept lists with an entity, because the entity changes without its lists, or is evicted from memory.
    mutating func dropKept(holding handle: ListHandle) {
        guard !keptLists.isEmpty else { return }
        for place in 0..<keys.holderCount(of: handle) { dropKept(of: keys.holder(of: handle, at: place).query) }
    }
}

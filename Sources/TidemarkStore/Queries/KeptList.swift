import TidemarkModel

/// A list as a reader got it last, kept until something of it changes: its elements, or one of their entities.
///
/// Reading a list of 1,000 anew copies 1,000 resources and their keys. Every element was whole and in memory, so whoever reads the list
/// gets the same, whatever fields they want.
struct KeptList {
    let keys: [EntityKey]
    let resources: [[UInt8]]
    /// Where the entities are stored, while none of them leaves memory.
    let slots: [UInt32]
    let byteCount: Int

    init(keys: [EntityKey], resources: [[UInt8]], slots: [UInt32]) {
        self.keys = keys
        self.resources = resources
        self.slots = slots
        byteCount = resources.reduce(0) { $0 + $1.count } + resources.count * KeptList.elementByteCount
    }

    /// What an element takes beside its resource: its key, and what arrays and their owners take.
    private static let elementByteCount = 160
}

/// Lists as readers got them.
extension QueryIndex {
    /// Lists that are kept, at most. What is kept is found by looking at all of them.
    static let keptListCountMax = 64

    /// Keeps what a reader gets. The list that was kept longest makes room.
    mutating func keep(_ list: KeptList, of query: UInt32) {
        dropKept(of: query)
        guard list.byteCount <= keptListByteCountMax else { return }
        while keptLists.count >= QueryIndex.keptListCountMax
            || keptListByteCount + list.byteCount > keptListByteCountMax
        {
            dropKept(of: keptLists[0])
        }
        keptLists.append(query)
        keptListByteCount += list.byteCount
        self[query].kept = list
    }

    /// What was kept of a list is not what it is any more.
    @inline(__always)
    mutating func dropKept(of query: UInt32) {
        if self[query].kept != nil { takeKept(of: query) }
    }

    private mutating func takeKept(of query: UInt32) {
        keptListByteCount -= self[query].kept?.byteCount ?? 0
        self[query].kept = nil
        keptLists.removeAll { $0 == query }
    }

    /// Whether something wants an entity to stay in memory. When nothing does it is about to leave.
    mutating func keepsInMemory(_ key: StoredKey) -> Bool {
        guard let handle = keys.handle(of: key) else { return false }
        if keys.isPinned(handle) { return true }
        dropKept(holding: handle)
        return false
    }

    /// An entity changes without its lists, or leaves memory.
    mutating func dropKept(holding handle: UInt32) {
        guard !keptLists.isEmpty else { return }
        for place in 0..<keys.holderCount(of: handle) { dropKept(of: keys.holder(of: handle, at: place).query) }
    }
}

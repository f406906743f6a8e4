import TidemarkModel

/// The reverse index: a handle for each key that lists, observers or layers name, and the places in lists that name it.
///
/// A key has an entry while something names it. A released handle is reused only after ``recycle()``, so that a record
/// of a change may use it until then. What lists and observers hold bounds it.
struct ListedKeys {
    /// One place in one list that names a key.
    struct Holder: Hashable {
        var query: QueryID
        var node: ListNode
    }

    private struct Entry {
        var key: StoredKey
        /// The first place. Nearly every key is in few lists, so most need no array.
        var first: Holder?
        var others: [Holder] = []
        /// How many observed lists keep the entity in memory, plus the number of its observers; layers add 1.
        var pinCount: Int32 = 0
        /// How many lagging observers remember the key.
        var retainCount: Int32 = 0
        /// How many observers the entity itself has.
        var observerCount: Int32 = 0
        /// True if layers have changes for the key. It is pinned once for that.
        var isLayered = false
        /// The newest lag at the time when the value before a write was last logged for observed lists.
        var knownBy: Int64 = 0

        var isNamed: Bool { first != nil || pinCount > 0 || retainCount > 0 }
        var holderCount: Int { first == nil ? 0 : others.count + 1 }
    }

    private var entries: [Entry] = []
    private var handles: [StoredKey: ListHandle] = [:]
    private var free: [ListHandle] = []
    /// The handles released since the last ``recycle()``.
    private var released: [ListHandle] = []

    var isEmpty: Bool { handles.isEmpty }
    var count: Int { handles.count }

    func handle(of key: StoredKey) -> ListHandle? { handles[key] }

    func key(of handle: ListHandle) -> StoredKey { entries[Int(handle)].key }

    /// Returns the handle of a key, and assigns one if it has none. Something must name the key before the next
    /// ``recycle()``.
    mutating func admit(_ key: StoredKey) -> ListHandle {
        if let handle = handles[key] { return handle }
        let handle: ListHandle
        if let last = free.popLast() {
            handle = last
            entries[Int(handle)] = Entry(key: key)
        } else {
            handle = ListHandle(entries.count)
            entries.append(Entry(key: key))
        }
        handles[key] = handle
        return handle
    }

    // MARK: Places

    func holderCount(of handle: ListHandle) -> Int { entries[Int(handle)].holderCount }

    func holder(of handle: ListHandle, at place: Int) -> Holder {
        guard place > 0 else {
            // No input reaches it: callers ask for places below the count of holders, or for places that a list has.
            guard let first = entries[Int(handle)].first else { preconditionFailure("key \(handle) stands in no list") }
            return first
        }
        return entries[Int(handle)].others[place - 1]
    }

    /// Adds a place to a key.
    ///
    /// - Returns: The index of the holder among the key's places, from 0.
    mutating func addHolder(_ holder: Holder, to handle: ListHandle) -> Int {
        if entries[Int(handle)].first == nil {
            entries[Int(handle)].first = holder
            return 0
        }
        entries[Int(handle)].others.append(holder)
        return entries[Int(handle)].others.count
    }

    /// Removes a place from a key.
    ///
    /// - Returns: The holder that moved to the freed index, whose node must be updated; nil if none moved.
    mutating func removeHolder(at place: Int, of handle: ListHandle) -> Holder? {
        let last = entries[Int(handle)].others.popLast()
        defer { releaseIfUnnamed(handle) }
        if place == 0 {
            entries[Int(handle)].first = last
            return last
        }
        guard let last, place - 1 < entries[Int(handle)].others.count else { return nil }
        entries[Int(handle)].others[place - 1] = last
        return last
    }

    // MARK: Pins, observers and layers

    func isPinned(_ handle: ListHandle) -> Bool { entries[Int(handle)].pinCount > 0 }

    func observerCount(of handle: ListHandle) -> Int { Int(entries[Int(handle)].observerCount) }

    mutating func pin(_ handle: ListHandle) { entries[Int(handle)].pinCount += 1 }

    mutating func unpin(_ handle: ListHandle) {
        entries[Int(handle)].pinCount -= 1
        releaseIfUnnamed(handle)
    }

    mutating func addObserver(_ handle: ListHandle) {
        entries[Int(handle)].observerCount += 1
        pin(handle)
    }

    mutating func removeObserver(_ handle: ListHandle) {
        entries[Int(handle)].observerCount -= 1
        unpin(handle)
    }

    func isLayered(_ handle: ListHandle) -> Bool { entries[Int(handle)].isLayered }

    mutating func setLayered(_ handle: ListHandle, _ isLayered: Bool) {
        guard entries[Int(handle)].isLayered != isLayered else { return }
        entries[Int(handle)].isLayered = isLayered
        if isLayered { pin(handle) } else { unpin(handle) }
    }

    /// Returns the newest lag that recorded the entity's value when it began. Older lags recorded it too, or never
    /// showed the entity.
    func knownBy(_ handle: ListHandle) -> Int64 { entries[Int(handle)].knownBy }

    mutating func setKnown(_ handle: ListHandle, by lag: Int64) { entries[Int(handle)].knownBy = lag }

    mutating func retain(_ handle: ListHandle) { entries[Int(handle)].retainCount += 1 }

    mutating func release(_ handle: ListHandle) {
        entries[Int(handle)].retainCount -= 1
        releaseIfUnnamed(handle)
    }

    private mutating func releaseIfUnnamed(_ handle: ListHandle) {
        guard !entries[Int(handle)].isNamed else { return }
        released.append(handle)
    }

    /// Frees the released handles that nothing names any more. No caller may keep a handle across this call.
    mutating func recycle() {
        guard !released.isEmpty else { return }
        for handle in released where !entries[Int(handle)].isNamed {
            // A handle that was released twice is freed once.
            guard handles[entries[Int(handle)].key] == handle else { continue }
            handles.removeValue(forKey: entries[Int(handle)].key)
            free.append(handle)
        }
        released.removeAll(keepingCapacity: true)
    }

    // MARK: Invariants

    /// Calls `body` for every place of every key, by handle.
    func forEachHolder(_ body: (ListHandle, Holder, _ place: Int) -> Void) {
        for handle in handles.values {
            for place in 0..<holderCount(of: handle) { body(handle, holder(of: handle, at: place), place) }
        }
    }

    func forEachHandle(_ body: (ListHandle) -> Void) {
        for handle in handles.values { body(handle) }
    }

    func pinCount(of handle: ListHandle) -> Int { Int(entries[Int(handle)].pinCount) }
}

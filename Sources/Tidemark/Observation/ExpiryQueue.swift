/// A binary heap of targets by the moment to check them, the earliest first.
///
/// When a target is checked early, or is no longer observed, its entry stays; the owner recognizes and drops it when it
/// is due. The queue is bounded: when it has more than twice as many entries as targets, the owner removes outdated
/// ones.
struct ExpiryQueue<Target> {
    struct Entry {
        /// Milliseconds since 1970.
        var moment: Int64
        var target: Target
    }

    private var heap: [Entry] = []

    var count: Int { heap.count }

    /// The earliest moment, in milliseconds since 1970; nil when the queue is empty.
    var first: Int64? { heap.first?.moment }

    /// - Complexity: O(log n).
    mutating func insert(_ entry: Entry) {
        heap.append(entry)
        var at = heap.count - 1
        while at > 0, heap[(at - 1) / 2].moment > heap[at].moment {
            heap.swapAt(at, (at - 1) / 2)
            at = (at - 1) / 2
        }
    }

    /// Removes and returns the entries that are due, the earliest first.
    ///
    /// - Complexity: O(log n) for each removed entry.
    mutating func takeDue(at now: Int64) -> [Entry] {
        var due: [Entry] = []
        while let first = heap.first, first.moment <= now {
            due.append(first)
            removeFirst()
        }
        return due
    }

    /// Removes and returns the earliest entry; nil when the queue is empty.
    ///
    /// - Complexity: O(log n).
    mutating func takeFirst() -> Entry? {
        guard let first = heap.first else { return nil }
        removeFirst()
        return first
    }

    /// Keeps the entries for which `isWanted` returns true, and removes the rest.
    ///
    /// - Complexity: O(n log n).
    mutating func keep(where isWanted: (Entry) -> Bool) {
        let kept = heap.filter(isWanted)
        heap.removeAll(keepingCapacity: true)
        for entry in kept { insert(entry) }
    }

    private mutating func removeFirst() {
        let last = heap.removeLast()
        guard !heap.isEmpty else { return }
        heap[0] = last
        var at = 0
        while true {
            var least = at
            for child in [2 * at + 1, 2 * at + 2] where child < heap.count && heap[child].moment < heap[least].moment {
                least = child
            }
            if least == at { return }
            heap.swapAt(at, least)
            at = least
        }
    }
}

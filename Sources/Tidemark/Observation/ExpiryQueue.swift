/// What is to be looked at when, the earliest first: a binary heap.
///
/// A target that is looked at before, or not observed any more, leaves its entry behind, which its owner looks at and drops when
/// it is due. Bounded: past twice the targets, entries that mean nothing go.
struct ExpiryQueue<Target> {
    struct Entry {
        /// Milliseconds since 1970.
        var moment: Int64
        var target: Target
    }

    private var heap: [Entry] = []

    var count: Int { heap.count }

    /// The earliest moment; nil when there is none.
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

    /// Takes everything out whose moment has come.
    ///
    /// - Returns: The earliest first.
    /// - Complexity: O(log n) for each.
    mutating func takeDue(at now: Int64) -> [Entry] {
        var due: [Entry] = []
        while let first = heap.first, first.moment <= now {
            due.append(first)
            removeFirst()
        }
        return due
    }

    /// Keeps what `isWanted` says.
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

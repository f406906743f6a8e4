import TidemarkModel

/// The held events of one library, by sequence.
///
/// Bounded by `heldEventCountMax` and `heldByteCountMax`: one event past them ``isOver`` becomes true, and the owner
/// reconciles at once. The buffer itself refuses nothing.
package struct ReorderBuffer {
    private let countMax: Int
    private let byteCountMax: Int
    /// The events ascending by sequence, each once. Events before `start` were taken.
    private var events: [HeldEvent] = []
    private var start = 0
    package private(set) var byteCount = 0

    package init(limits: Limits) {
        countMax = limits.heldEventCountMax
        byteCountMax = limits.heldByteCountMax
    }

    package var count: Int { events.count - start }
    package var isEmpty: Bool { count == 0 }
    package var first: HeldEvent? { isEmpty ? nil : events[start] }
    /// The held events in order of sequence.
    package var all: ArraySlice<HeldEvent> { events[start...] }

    /// The highest `prev` of a held event; nil when nothing is held.
    ///
    /// - Complexity: O(n).
    package var highestPrevious: EventSequence? { all.lazy.map(\.previous).max() }

    package var isOver: Bool { count > countMax || byteCount > byteCountMax }

    /// The result of an insertion.
    package enum Insertion: Equatable {
        case added
        /// An event of that sequence is held already; that one stays.
        case duplicate
    }

    /// Inserts an event at its place.
    ///
    /// - Complexity: O(log n) to find the place, O(n) moves after it; disorder is usually short, so there are few.
    package mutating func insert(_ event: HeldEvent) -> Insertion {
        let index = position(of: event.sequence)
        if index < events.count, events[index].sequence == event.sequence { return .duplicate }
        events.insert(event, at: index)
        byteCount += event.byteCount
        return .added
    }

    /// Returns the event held under a sequence; nil when there is none.
    package func event(at sequence: EventSequence) -> HeldEvent? {
        let index = position(of: sequence)
        return index < events.count && events[index].sequence == sequence ? events[index] : nil
    }

    package mutating func takeFirst() -> HeldEvent? {
        guard let event = first else { return nil }
        start += 1
        byteCount -= event.byteCount
        if start == events.count {
            removeAll()
        } else if start > ReorderBuffer.compactionCountMin, start * 2 > events.count {
            events.removeFirst(start)
            start = 0
        }
        return event
    }

    package mutating func removeAll() {
        events.removeAll(keepingCapacity: events.capacity <= ReorderBuffer.compactionCountMin)
        start = 0
        byteCount = 0
    }

    /// The number of taken events from which compacting the array pays.
    private static let compactionCountMin = 64

    private func position(of sequence: EventSequence) -> Int {
        var low = start
        var high = events.count
        while low < high {
            let middle = (low + high) / 2
            if events[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

import TidemarkModel

/// The held events of one library, ordered by sequence.
///
/// `heldEventCountMax` and `heldByteCountMax` bound it: with one event more, ``isOver`` is true, and the owner
/// reconciles at once. The buffer itself refuses no event.
package struct ReorderBuffer {
    private let countMax: Int
    private let byteCountMax: Int
    /// The events, ascending by sequence, each once. Those before `start` were taken.
    private var events: [HeldEvent] = []
    private var start = 0
    /// How many bytes the held events count.
    package private(set) var byteCount = 0

    /// Creates an empty buffer with the bounds of `limits`.
    package init(limits: Limits) {
        countMax = limits.heldEventCountMax
        byteCountMax = limits.heldByteCountMax
    }

    /// How many events are held.
    package var count: Int { events.count - start }
    /// True if no event is held.
    package var isEmpty: Bool { count == 0 }
    /// The held event with the lowest sequence; nil if there is none.
    package var first: HeldEvent? { isEmpty ? nil : events[start] }
    /// The held events, ascending by sequence.
    package var all: ArraySlice<HeldEvent> { events[start...] }

    /// The highest `prev` of a held event; nil if none is held.
    ///
    /// - Complexity: O(n).
    package var highestPrevious: EventSequence? { all.lazy.map(\.previous).max() }

    /// True if the buffer is past one of its bounds.
    package var isOver: Bool { count > countMax || byteCount > byteCountMax }

    /// The result of an insertion.
    package enum Insertion: Equatable {
        /// The event was added.
        case added
        /// Another event with the same sequence was already held, and stays.
        case duplicate
    }

    /// Inserts an event in order.
    ///
    /// - Complexity: O(log n) to find the place, plus O(n) moves after it; disorder is usually short, so there are few.
    package mutating func insert(_ event: HeldEvent) -> Insertion {
        let index = position(of: event.sequence)
        if index < events.count, events[index].sequence == event.sequence { return .duplicate }
        events.insert(event, at: index)
        byteCount += event.byteCount
        return .added
    }

    /// Returns the event held under a sequence; nil if there is none.
    package func event(at sequence: EventSequence) -> HeldEvent? {
        let index = position(of: sequence)
        return index < events.count && events[index].sequence == sequence ? events[index] : nil
    }

    /// Removes and returns the held event with the lowest sequence; nil if there is none.
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

    /// Removes all held events.
    package mutating func removeAll() {
        events.removeAll(keepingCapacity: events.capacity <= ReorderBuffer.compactionCountMin)
        start = 0
        byteCount = 0
    }

    /// How many events must have been taken before the array is compacted.
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

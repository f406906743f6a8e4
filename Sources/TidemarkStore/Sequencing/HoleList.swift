import TidemarkModel

/// The sequences of one library's unusable lines. Each is a hint that an event exists, not a proof.
///
/// A hole moves no cursor and blocks no event. It is kept so that the upstream is asked for it once. Without an
/// upstream, none are kept.
///
/// - Source: Protocol/sequencing.md, holes.
package struct HoleList: Sendable {
    private struct Hole {
        var sequence: EventSequence
        /// The epoch that the line named; nil if it named none.
        var epoch: ByteString?
        /// When the line arrived, in milliseconds since 1970.
        var seenAt: Int64
        /// True if a request under way covers the hole.
        var isAsked = false
    }

    /// The most holes. Beyond it, further holes are dropped; their lines stay in quarantine.
    private let countMax: Int
    /// The holes, ascending by sequence, each once.
    private var holes: [Hole] = []

    /// Creates an empty list with a bound.
    package init(countMax: Int) { self.countMax = countMax }

    /// True if there are no holes.
    package var isEmpty: Bool { holes.isEmpty }
    /// How many holes there are.
    package var count: Int { holes.count }
    /// The sequences of the holes, ascending.
    package var sequences: [EventSequence] { holes.map(\.sequence) }

    /// Adds a hole. No effect if it is already listed or the list is full.
    ///
    /// - Complexity: O(n).
    package mutating func insert(_ sequence: EventSequence, epoch: ByteString?, at now: Int64) {
        let index = position(of: sequence)
        if index < holes.count, holes[index].sequence == sequence { return }
        guard holes.count < countMax else { return }
        holes.insert(Hole(sequence: sequence, epoch: epoch, seenAt: now), at: index)
    }

    /// Returns true if a sequence is a hole.
    ///
    /// - Complexity: O(log n).
    package func contains(_ sequence: EventSequence) -> Bool {
        let index = position(of: sequence)
        return index < holes.count && holes[index].sequence == sequence
    }

    /// Returns the highest hole at or below a sequence; nil if there is none.
    package func highest(through sequence: EventSequence) -> EventSequence? {
        holes.last { $0.sequence <= sequence }?.sequence
    }

    /// When the oldest hole that was not requested yet was seen, in milliseconds since 1970; nil if there is none.
    package var unaskedSince: Int64? { holes.lazy.filter { !$0.isAsked }.map(\.seenAt).min() }

    /// Marks every hole as covered by a request under way.
    package mutating func markAsked() {
        for index in holes.indices { holes[index].isAsked = true }
    }

    /// Removes the holes that a request covered and did not prove.
    package mutating func removeAsked() { holes.removeAll { $0.isAsked } }

    /// Removes the holes that the cursor has passed.
    package mutating func remove(through sequence: EventSequence) {
        guard let first = holes.first, first.sequence <= sequence else { return }
        holes.removeAll { $0.sequence <= sequence }
    }

    /// Removes the holes of other epochs, or without one, when the log gets its first epoch.
    package mutating func keep(epoch: ByteString) { holes.removeAll { $0.epoch != epoch } }

    /// Removes all holes.
    package mutating func removeAll() { holes.removeAll() }

    private func position(of sequence: EventSequence) -> Int {
        var low = 0
        var high = holes.count
        while low < high {
            let middle = (low + high) / 2
            if holes[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

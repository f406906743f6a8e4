import TidemarkModel

/// The numbers of one library's unusable lines: hints that events exist, and no proof.
///
/// A hole moves no cursor and blocks no event. It is kept so that the upstream is asked for it once. A cache without an
/// upstream keeps none, because there is no one to ask.
///
/// - Source: Protocol/sequencing.md, holes.
package struct HoleList: Sendable {
    private struct Hole {
        var sequence: EventSequence
        /// The epoch that the line named; nil when it named none.
        var epoch: ByteString?
        /// The time when the line came, in milliseconds since 1970.
        var seenAt: Int64
        /// Whether a request under way covers the hole.
        var isAsked = false
    }

    /// The maximum number of holes. At the maximum a further hole is dropped; its line stays in quarantine.
    private let countMax: Int
    /// The holes, ascending by sequence, each once.
    private var holes: [Hole] = []

    package init(countMax: Int) { self.countMax = countMax }

    package var isEmpty: Bool { holes.isEmpty }
    package var count: Int { holes.count }
    /// The numbers of the holes, ascending.
    package var sequences: [EventSequence] { holes.map(\.sequence) }

    /// Adds a hole, unless it is known or the list is full.
    ///
    /// - Complexity: O(n).
    package mutating func insert(_ sequence: EventSequence, epoch: ByteString?, at now: Int64) {
        let index = position(of: sequence)
        if index < holes.count, holes[index].sequence == sequence { return }
        guard holes.count < countMax else { return }
        holes.insert(Hole(sequence: sequence, epoch: epoch, seenAt: now), at: index)
    }

    /// Tells whether a number is a hole.
    ///
    /// - Complexity: O(log n).
    package func contains(_ sequence: EventSequence) -> Bool {
        let index = position(of: sequence)
        return index < holes.count && holes[index].sequence == sequence
    }

    /// Returns the highest hole that is not above a sequence; nil when there is none.
    package func highest(through sequence: EventSequence) -> EventSequence? {
        holes.last { $0.sequence <= sequence }?.sequence
    }

    /// The time of the first hole that was not asked for, in milliseconds since 1970; nil when there is none.
    package var unaskedSince: Int64? { holes.lazy.filter { !$0.isAsked }.map(\.seenAt).min() }

    /// Marks every hole as covered by a request under way.
    package mutating func markAsked() {
        for index in holes.indices { holes[index].isAsked = true }
    }

    /// Removes the holes that an ended request covered and did not prove.
    package mutating func removeAsked() { holes.removeAll { $0.isAsked } }

    /// Removes holes that the cursor passed.
    package mutating func remove(through sequence: EventSequence) {
        guard let first = holes.first, first.sequence <= sequence else { return }
        holes.removeAll { $0.sequence <= sequence }
    }

    /// Removes holes of another epoch, or of none, when the log gets its first epoch: they are of no known log.
    package mutating func keep(epoch: ByteString) { holes.removeAll { $0.epoch != epoch } }

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

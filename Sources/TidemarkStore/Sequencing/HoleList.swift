import TidemarkModel

/// Numbers of one library at which an unusable line stood: a hint that an event exists, and no proof.
///
/// A hole moves nothing and holds up nothing. It is kept so that the upstream is asked for it once. A cache without an
/// upstream has nobody to ask and keeps none.
///
/// - Source: Protocol/sequencing.md, holes.
package struct HoleList: Sendable {
    private struct Hole {
        var sequence: EventSequence
        /// nil when its line named none.
        var epoch: ByteString?
        /// Milliseconds since 1970.
        var seenAt: Int64
        /// A question that is under way covers it.
        var isAsked = false
    }

    /// At the maximum a further hole is forgotten; its line stays in quarantine.
    private let countMax: Int
    /// Ascending by sequence, each once.
    private var holes: [Hole] = []

    package init(countMax: Int) { self.countMax = countMax }

    package var isEmpty: Bool { holes.isEmpty }
    package var count: Int { holes.count }
    /// Ascending.
    package var sequences: [EventSequence] { holes.map(\.sequence) }

    /// - Complexity: O(n).
    package mutating func insert(_ sequence: EventSequence, epoch: ByteString?, at now: Int64) {
        let index = position(of: sequence)
        if index < holes.count, holes[index].sequence == sequence { return }
        guard holes.count < countMax else { return }
        holes.insert(Hole(sequence: sequence, epoch: epoch, seenAt: now), at: index)
    }

    /// - Complexity: O(log n).
    package func contains(_ sequence: EventSequence) -> Bool {
        let index = position(of: sequence)
        return index < holes.count && holes[index].sequence == sequence
    }

    /// The highest hole that is not above a sequence; nil when there is none.
    package func highest(through sequence: EventSequence) -> EventSequence? {
        holes.last { $0.sequence <= sequence }?.sequence
    }

    /// When the first hole was seen that nobody was asked for; nil when there is none.
    package var unaskedSince: Int64? { holes.lazy.filter { !$0.isAsked }.map(\.seenAt).min() }

    /// A question that covers every hole is under way.
    package mutating func markAsked() {
        for index in holes.indices { holes[index].isAsked = true }
    }

    /// The question is over: what it covered and did not prove is forgotten.
    package mutating func removeAsked() { holes.removeAll { $0.isAsked } }

    /// The cursor passed them.
    package mutating func remove(through sequence: EventSequence) {
        guard let first = holes.first, first.sequence <= sequence else { return }
        holes.removeAll { $0.sequence <= sequence }
    }

    /// The log has its first epoch: holes of another one, or of none, are of no log that is known.
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

import TidemarkModel

/// What is missing of a library's log.
extension SequenceGate {
    /// The first range of sequences missing before something that is known to exist; nil if nothing is missing.
    package var missing: LostRange? {
        guard let reached else { return nil }
        if let first = held.first {
            if first.previous <= reached { return nil }
            return LostRange(first: reached.successor, last: first.previous)
        }
        guard let tail, tail > reached else { return nil }
        return LostRange(first: reached.successor, last: tail)
    }

    /// When the first gap was seen, in milliseconds since 1970; nil if nothing is missing.
    package var missingSince: Int64? {
        guard missing != nil else { return nil }
        return held.first?.heldAt ?? tailSeenAt
    }

    /// When the oldest hole that was not requested yet was seen, in milliseconds since 1970; nil if there is none.
    package var holeSince: Int64? { holes.isEmpty ? nil : holes.unaskedSince }

    /// True if the first missing sequence is also that of an unusable line of an input.
    package var isFirstMissingHole: Bool { missing.map { holes.contains($0.first) } ?? false }

    /// The highest sequence that the log is known to reach: the tail, or the highest `prev` of a held event.
    ///
    /// - Complexity: O(held events).
    package var witness: EventSequence { [tail, held.highestPrevious].compactMap { $0 }.max() ?? .beforeFirst }
}

import TidemarkModel

/// The sequences of one library that were declared lost, as ascending ranges that are never adjacent.
///
/// There are at most `countMax` ranges. Past it, the two closest become one, with the sequences between them: a
/// sequence wrongly called lost is requested again, but one wrongly left out never would be.
package struct LostRanges: Hashable, Sendable {
    /// The ranges, ascending.
    package private(set) var ranges: [LostRange]
    let countMax: Int

    /// Creates a set of lost sequences.
    ///
    /// - Parameters:
    ///   - ranges: Ascending ranges that are not adjacent.
    ///   - countMax: The most ranges. Less than 1 counts as 1: a recording may name any limit, and a lost sequence must
    ///     stay known.
    package init(_ ranges: [LostRange] = [], countMax: Int) {
        self.ranges = ranges
        self.countMax = max(1, countMax)
    }

    /// True if no sequence is lost.
    package var isEmpty: Bool { ranges.isEmpty }

    /// Adds a range, and joins it with those that it touches.
    ///
    /// - Complexity: O(n).
    package mutating func insert(_ range: LostRange) {
        var first = range.first
        var last = range.last
        var result: [LostRange] = []
        result.reserveCapacity(ranges.count + 1)
        var index = 0
        while index < ranges.count, ranges[index].last.successor < first {
            result.append(ranges[index])
            index += 1
        }
        while index < ranges.count, ranges[index].first.predecessor <= last {
            first = min(first, ranges[index].first)
            last = max(last, ranges[index].last)
            index += 1
        }
        result.append(LostRange(first: first, last: last))
        result.append(contentsOf: ranges[index...])
        ranges = result
        if ranges.count > countMax { joinClosest() }
    }

    /// Returns true if a sequence is lost.
    ///
    /// - Complexity: O(log n).
    package func contains(_ sequence: EventSequence) -> Bool {
        let index = firstIndex(endingFrom: sequence)
        return index < ranges.count && ranges[index].first <= sequence
    }

    /// Returns the lowest lost sequence at or above `sequence`; nil if there is none.
    ///
    /// - Complexity: O(log n).
    package func first(from sequence: EventSequence) -> EventSequence? {
        let index = firstIndex(endingFrom: sequence)
        return index < ranges.count ? max(ranges[index].first, sequence) : nil
    }

    /// Removes a range of sequences, which were applied late or never existed.
    ///
    /// - Returns: False if more than `countMax` ranges would remain; then nothing was removed.
    /// - Complexity: O(n).
    @discardableResult
    package mutating func remove(_ range: LostRange) -> Bool {
        var result: [LostRange] = []
        result.reserveCapacity(ranges.count + 1)
        for own in ranges {
            guard own.first <= range.last, range.first <= own.last else {
                result.append(own)
                continue
            }
            if own.first < range.first { result.append(LostRange(first: own.first, last: range.first.predecessor)) }
            if range.last < own.last { result.append(LostRange(first: range.last.successor, last: own.last)) }
        }
        guard result.count <= max(countMax, ranges.count) else { return false }
        ranges = result
        return true
    }

    /// Removes all lost sequences above a sequence, because the log does not reach that far.
    ///
    /// - Complexity: O(n).
    package mutating func removeAll(above sequence: EventSequence) {
        guard sequence < .last else { return }
        // Ranges are only cut at their ends, so their number cannot grow.
        remove(LostRange(first: sequence.successor, last: .last))
    }

    private func firstIndex(endingFrom sequence: EventSequence) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].last < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func joinClosest() {
        var closest = 1
        for index in 1..<ranges.count where distance(before: index) < distance(before: closest) {
            closest = index
        }
        ranges[closest - 1].last = ranges[closest].last
        ranges.remove(at: closest)
    }

    private func distance(before index: Int) -> Int64 {
        ranges[index].first.rawValue - ranges[index - 1].last.rawValue
    }
}

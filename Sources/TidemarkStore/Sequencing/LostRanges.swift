import TidemarkModel

/// The sequences of one library that were declared lost: ascending, adjacent ranges joined.
///
/// Holds at most `countMax` ranges. Past it, the two closest ranges become one, which then also covers the numbers
/// between them: a number that is wrongly called lost is requested again, but one that is wrongly omitted never is.
package struct LostRanges: Hashable, Sendable {
    package private(set) var ranges: [LostRange]
    let countMax: Int

    /// - Parameter countMax: Less than 1 counts as 1: a recording may name any limit, and a lost number has to stay
    ///   known.
    package init(_ ranges: [LostRange] = [], countMax: Int) {
        self.ranges = ranges
        self.countMax = max(1, countMax)
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// Adds a range.
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

    /// Tells whether a number is lost.
    ///
    /// - Complexity: O(log n).
    package func contains(_ sequence: EventSequence) -> Bool {
        let index = firstIndex(endingFrom: sequence)
        return index < ranges.count && ranges[index].first <= sequence
    }

    /// Returns the lowest lost number that is not below `sequence`; nil when there is none.
    ///
    /// - Complexity: O(log n).
    package func first(from sequence: EventSequence) -> EventSequence? {
        let index = firstIndex(endingFrom: sequence)
        return index < ranges.count ? max(ranges[index].first, sequence) : nil
    }

    /// Removes the numbers of a range from the lost ones: they were applied after all, or never existed.
    ///
    /// - Returns: false when that would leave more than `countMax` ranges; nothing was removed then.
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

    /// Removes all lost numbers above a sequence, because the log does not reach that far.
    ///
    /// - Complexity: O(n).
    package mutating func removeAll(above sequence: EventSequence) {
        guard sequence < .last else { return }
        // A range is only cut at its end: there are never more ranges than before.
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

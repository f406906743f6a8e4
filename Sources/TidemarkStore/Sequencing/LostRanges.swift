import TidemarkModel

/// The sequences of one library that were declared lost: ascending, adjacent ones joined.
///
/// Holds at most `countMax` ranges; past it, the two that lie closest become one, which then also covers what
/// lies between them: better to call too much lost than too little.
package struct LostRanges: Hashable, Sendable {
    package private(set) var ranges: [LostRange]
    let countMax: Int

    package init(_ ranges: [LostRange] = [], countMax: Int) {
        precondition(countMax >= 1, "\(countMax) lost ranges cannot hold one")
        self.ranges = ranges
        self.countMax = countMax
    }

    /// - Complexity: O(n).
    package mutating func insert(_ range: LostRange) {
        var first = range.first
        var last = range.last
        var result: [LostRange] = []
        result.reserveCapacity(ranges.count + 1)
        var index = 0
        while index < ranges.count, ranges[index].last.rawValue < first.rawValue - 1 {
            result.append(ranges[index])
            index += 1
        }
        while index < ranges.count, ranges[index].first.rawValue - 1 <= last.rawValue {
            first = min(first, ranges[index].first)
            last = max(last, ranges[index].last)
            index += 1
        }
        result.append(LostRange(first: first, last: last))
        result.append(contentsOf: ranges[index...])
        ranges = result
        if ranges.count > countMax { joinClosest() }
    }

    package func contains(_ sequence: EventSequence) -> Bool {
        ranges.contains { $0.first <= sequence && sequence <= $0.last }
    }

    /// Takes a sequence out: it was applied after all.
    package mutating func remove(_ sequence: EventSequence) {
        guard let index = ranges.firstIndex(where: { $0.first <= sequence && sequence <= $0.last }) else { return }
        let range = ranges.remove(at: index)
        if sequence < range.last {
            ranges.insert(LostRange(first: EventSequence(sequence.rawValue + 1), last: range.last), at: index)
        }
        if range.first < sequence {
            ranges.insert(LostRange(first: range.first, last: EventSequence(sequence.rawValue - 1)), at: index)
        }
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

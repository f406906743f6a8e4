/// Computes the steps from one list to another, with the smallest number of moves.
package enum ListDifference {
    /// Returns the operations that turn the first list into the second.
    ///
    /// The elements of one longest run that ascends in both lists stay in place. Every other common element must move
    /// at least once, and moves exactly once. Removes come first, from the back to the front, so that none shifts
    /// another. Moves and adds follow from the front to the back, each directly after its predecessor in `after`.
    /// Replaces come last, ascending by their final index.
    ///
    /// - Parameters:
    ///   - before: Handles, each at most once.
    ///   - after: Handles, each at most once.
    ///   - isReplaced: Returns true if an element of both lists has a new value. Called once for each of them.
    /// - Returns: Operations over handles, to be applied in order; each index refers to the list at that moment. Empty
    ///   for equal lists without new values.
    /// - Complexity: O(n + m) for the common prefix and suffix, O((n + m) log(n + m)) for the part between them, for
    ///   any number of moves.
    /// - Source: RFC 6902, section 4.
    package static func operations(
        from before: [ListHandle], to after: [ListHandle], isReplaced: (ListHandle) -> Bool
    ) -> [ListOperation<ListHandle>] {
        let prefix = commonPrefixCount(before, after)
        let suffix = commonSuffixCount(before[prefix...], after[prefix...])
        let old = before[prefix..<before.count - suffix]
        let new = after[prefix..<after.count - suffix]
        var operations: [ListOperation<ListHandle>] = []
        var kept: [Int] = []
        if !old.isEmpty || !new.isEmpty {
            let newIndexes = indexes(of: new)
            for (index, handle) in zip(old.indices, old).reversed() where newIndexes[handle] == nil {
                operations.append(.remove(at: index))
            }
            kept = old.compactMap { newIndexes[$0] }
            arrange(kept, into: new, &operations)
            kept.sort()
        }
        appendReplaces(after, 0..<prefix, isReplaced, &operations)
        appendReplaces(after, kept, isReplaced, &operations)
        appendReplaces(after, after.count - suffix..<after.count, isReplaced, &operations)
        return operations
    }

    private static func indexes(of list: ArraySlice<ListHandle>) -> [ListHandle: Int] {
        var indexes: [ListHandle: Int] = [:]
        indexes.reserveCapacity(list.count)
        for (index, handle) in zip(list.indices, list) {
            let other = indexes.updateValue(index, forKey: handle)
            // No input reaches it: an answer that lists a key twice is refused or reduced to one element, and so is a
            // row of a data file when its list is built.
            precondition(other == nil, "handle \(handle) stands twice in a list, at \(other ?? -1) and \(index)")
        }
        return indexes
    }

    /// Moves the elements that do not stay and adds the new ones, from the front to the back.
    ///
    /// When the element for `target` is handled, all its predecessors precede it in their final order, and between them
    /// are only elements that still wait for their move. So an index is the number of arranged elements before it plus
    /// the number of waiting ones, and both are known without the list itself.
    ///
    /// - Parameter kept: For each element that is left after the removes, in the old order, its index in the new list.
    private static func arrange(
        _ kept: [Int], into new: ArraySlice<ListHandle>, _ operations: inout [ListOperation<ListHandle>]
    ) {
        let stays = longestAscendingRun(of: kept)
        var waiting = FenwickCounts(stays.map { !$0 })
        let places = KeptPlaces(kept, stays: stays, new: new.indices)
        // The last element that stayed, among those arranged so far; -1 before the first.
        var anchor = -1
        for target in new.indices {
            let old = places.oldIndexes[target - new.startIndex]
            if old >= 0, stays[old] {
                anchor = old
                continue
            }
            let from: Int
            if old < 0 {
                from = -1
            } else if old < anchor {
                // All elements up to the next one that stays are arranged before it.
                from = places.nextStaying[old] + waiting.count(before: old)
            } else {
                from = target + waiting.count(before: old) + places.stayingCount(between: anchor, and: old)
            }
            if old >= 0 { waiting.giveUp(old) }
            let to = target + (anchor < 0 ? 0 : waiting.count(before: anchor))
            operations.append(old < 0 ? .add(new[target], at: to) : .move(from: from, to: to))
        }
    }

    private static func appendReplaces(
        _ after: [ListHandle], _ indexes: some Sequence<Int>, _ isReplaced: (ListHandle) -> Bool,
        _ operations: inout [ListOperation<ListHandle>]
    ) {
        for index in indexes where isReplaced(after[index]) { operations.append(.replace(after[index], at: index)) }
    }

    private static func commonPrefixCount(_ before: [ListHandle], _ after: [ListHandle]) -> Int {
        var count = 0
        while count < before.count, count < after.count, before[count] == after[count] { count += 1 }
        return count
    }

    private static func commonSuffixCount(_ before: ArraySlice<ListHandle>, _ after: ArraySlice<ListHandle>) -> Int {
        let countMax = min(before.count, after.count)
        var count = 0
        while count < countMax, before[before.endIndex - 1 - count] == after[after.endIndex - 1 - count] { count += 1 }
        return count
    }

    /// Marks the members of one longest strictly ascending subsequence, by patience sorting.
    ///
    /// - Complexity: O(n log n).
    private static func longestAscendingRun(of values: [Int]) -> [Bool] {
        // `ends`: for each length, the index of the smallest value that ends a run of it. `previous`: for each value,
        // the one before it.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: values.count)
        for (index, value) in values.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var isMember = [Bool](repeating: false, count: values.count)
        var index = ends.last ?? -1
        while index >= 0 {
            isMember[index] = true
            index = previous[index]
        }
        return isMember
    }
}

/// Where the kept elements are in both lists.
private struct KeptPlaces {
    /// For each index of the new part, from 0, the index among kept elements; -1 for a new element.
    let oldIndexes: [Int]
    /// For each kept element, the index in the new list of the next staying element in the old order.
    let nextStaying: [Int]
    /// For each kept element, the number of staying elements before it.
    private let stayingCounts: [Int]

    init(_ kept: [Int], stays: [Bool], new: Range<Int>) {
        var oldIndexes = [Int](repeating: -1, count: new.count)
        var stayingCounts: [Int] = []
        stayingCounts.reserveCapacity(kept.count)
        var count = 0
        for (index, target) in kept.enumerated() {
            oldIndexes[target - new.lowerBound] = index
            stayingCounts.append(count)
            if stays[index] { count += 1 }
        }
        var nextStaying = [Int](repeating: new.upperBound, count: kept.count)
        var next = new.upperBound
        for index in kept.indices.reversed() {
            nextStaying[index] = next
            if stays[index] { next = kept[index] }
        }
        self.oldIndexes = oldIndexes
        self.nextStaying = nextStaying
        self.stayingCounts = stayingCounts
    }

    /// Returns the number of staying elements after `anchor` and before `index`. An `anchor` of -1 precedes the first.
    func stayingCount(between anchor: Int, and index: Int) -> Int {
        stayingCounts[index] - (anchor < 0 ? 0 : stayingCounts[anchor] + 1)
    }
}

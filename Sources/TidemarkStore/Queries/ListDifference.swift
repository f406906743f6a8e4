/// The steps that lead from one list to another, with as few moves as there can be.
package enum ListDifference {
    /// What has to happen to the first list so that it becomes the second.
    ///
    /// Elements of a longest run that is ascending in both lists stay where they are; every other kept element has to
    /// move once, whatever is done, and moves once. Removes come first, from the back to the front, so that none shifts
    /// another. Moves and adds follow from the front to the back, each right behind its predecessor in `after`; replaces
    /// come last, ascending by their final index.
    ///
    /// - Parameters:
    ///   - before: Handles, each at most once.
    ///   - after: Handles, each at most once.
    ///   - isReplaced: Whether an element of both lists has another value now. Asked once for each of them.
    /// - Returns: Operations over handles, to be applied in order; indexes refer to the list at that moment. Empty for
    ///   equal lists with nothing replaced.
    /// - Complexity: O(n + m) for the common prefix and suffix, O((n + m) log(n + m)) for what lies between, however
    ///   many elements move.
    /// - Source: RFC 6902, section 4.
    package static func operations(
        from before: [UInt32], to after: [UInt32], isReplaced: (UInt32) -> Bool
    ) -> [ListOperation<UInt32>] {
        let prefix = commonPrefixCount(before, after)
        let suffix = commonSuffixCount(before[prefix...], after[prefix...])
        let old = before[prefix..<before.count - suffix]
        let new = after[prefix..<after.count - suffix]
        var operations: [ListOperation<UInt32>] = []
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

    private static func indexes(of list: ArraySlice<UInt32>) -> [UInt32: Int] {
        var indexes: [UInt32: Int] = [:]
        indexes.reserveCapacity(list.count)
        for (index, handle) in zip(list.indices, list) {
            let other = indexes.updateValue(index, forKey: handle)
            // No input reaches it: an answer that lists a key twice is refused or made one, and so is a row of a data file when its
            // list is built.
            precondition(other == nil, "handle \(handle) stands twice in a list, at \(other ?? -1) and \(index)")
        }
        return indexes
    }

    /// Moves what does not stay and adds what is new, from the front to the back.
    ///
    /// When the element for `target` has its turn, all its predecessors stand in front of it in their order, and between
    /// them only elements that still wait for their move. So a place is a count of those that are settled, and of those
    /// that wait in front of it: both are known without the list itself.
    ///
    /// - Parameter kept: For each element that is left after removes, in the old order, its index in the new list.
    private static func arrange(
        _ kept: [Int], into new: ArraySlice<UInt32>, _ operations: inout [ListOperation<UInt32>]
    ) {
        let stays = longestAscendingRun(of: kept)
        var waiting = FenwickCounts(stays.map { !$0 })
        let places = KeptPlaces(kept, stays: stays, new: new.indices)
        // The last settled element that stayed; -1 before the first.
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
                // Settled in front of it is all that comes before the next element that stays.
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
        _ after: [UInt32], _ indexes: some Sequence<Int>, _ isReplaced: (UInt32) -> Bool,
        _ operations: inout [ListOperation<UInt32>]
    ) {
        for index in indexes where isReplaced(after[index]) { operations.append(.replace(after[index], at: index)) }
    }

    private static func commonPrefixCount(_ before: [UInt32], _ after: [UInt32]) -> Int {
        var count = 0
        while count < before.count, count < after.count, before[count] == after[count] { count += 1 }
        return count
    }

    private static func commonSuffixCount(_ before: ArraySlice<UInt32>, _ after: ArraySlice<UInt32>) -> Int {
        let countMax = min(before.count, after.count)
        var count = 0
        while count < countMax, before[before.endIndex - 1 - count] == after[after.endIndex - 1 - count] { count += 1 }
        return count
    }

    /// Marks the members of one longest strictly ascending subsequence, by patience sorting.
    ///
    /// - Complexity: O(n log n).
    private static func longestAscendingRun(of values: [Int]) -> [Bool] {
        // For each length the index of the smallest value that ends a run of it; for each value the one before it.
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

/// Where kept elements stand in both lists.
private struct KeptPlaces {
    /// For each index of the new part, from 0, the index among kept elements; -1 when it is new.
    let oldIndexes: [Int]
    /// For each kept element the index in the new list of the next one in the old order that stays.
    let nextStaying: [Int]
    /// For each kept element how many that stay are in front of it.
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

    /// Elements that stay, behind `anchor` and in front of `index`; -1 stands before the first.
    func stayingCount(between anchor: Int, and index: Int) -> Int {
        stayingCounts[index] - (anchor < 0 ? 0 : stayingCounts[anchor] + 1)
    }
}

import TestTraits
import Testing
import TidemarkStore
import TidemarkTesting

/// The law: applied in order, the operations lead from one list to the other, with the fewest possible moves.
@Suite(.pooled) struct ListDifferenceTests {
    @Test func `equal lists need no operation`() {
        #expect(ListDifference.operations(from: [], to: [], isReplaced: { _ in true }) == [])
        #expect(ListDifference.operations(from: [3, 1, 2], to: [3, 1, 2], isReplaced: { _ in false }) == [])
    }

    @Test func `one change is one operation`() {
        func operations(_ before: [ListHandle], _ after: [ListHandle], _ replaced: Set<ListHandle> = [])
            -> [ListOperation<ListHandle>]
        {
            ListDifference.operations(from: before, to: after, isReplaced: replaced.contains)
        }
        #expect(operations([1, 2, 3], [1, 9, 2, 3]) == [.add(9, at: 1)])
        #expect(operations([], [7]) == [.add(7, at: 0)])
        #expect(operations([1, 2, 3], [1, 3]) == [.remove(at: 1)])
        #expect(operations([1, 2, 3], [1, 2, 3], [2]) == [.replace(2, at: 1)])
        #expect(operations([1, 2, 3, 4], [4, 1, 2, 3]) == [.move(from: 3, to: 0)])
        #expect(operations([1, 2, 3, 4], [2, 3, 4, 1]) == [.move(from: 0, to: 3)])
    }

    @Test func `removes come first and descend, then moves and adds ascend, then replaces ascend`() {
        let operations = ListDifference.operations(
            from: [1, 2, 3, 4, 5, 6], to: [6, 1, 9, 4, 3], isReplaced: { $0 != 4 })
        #expect(
            operations == [
                .remove(at: 4), .remove(at: 1), .move(from: 3, to: 0), .add(9, at: 2), .move(from: 3, to: 4),
                .replace(6, at: 0), .replace(1, at: 1), .replace(3, at: 4),
            ])
    }

    @Test(arguments: 1...400 as ClosedRange<UInt64>)
    func `any list becomes any other with the fewest moves`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let (before, after) = lists(&random)
            let replaced = Set(after.filter { _ in random.chance(200) })
            let operations = ListDifference.operations(from: before, to: after, isReplaced: replaced.contains)
            let context: Comment = "seed \(seed): \(before) to \(after)"

            #expect(result(of: operations, on: before) == after, context)
            #expect(operations.map(\.rank) == operations.map(\.rank).sorted(), context)
            let kept = Set(before).intersection(after)
            #expect(operations.count { $0.rank == 0 } == before.count - kept.count, context)
            #expect(added(by: operations) == after.filter { !kept.contains($0) }, context)
            #expect(moveCount(operations) == kept.count - longestRunCount(before.filter(kept.contains), after), context)
            let wanted = after.enumerated().filter { kept.contains($0.element) && replaced.contains($0.element) }
            #expect(operations.filter { $0.rank == 2 } == wanted.map { .replace($0.element, at: $0.offset) }, context)
        }
    }

    @Test func `reversing a long list moves all elements but one`() {
        let before = (0..<20_000).map { ListHandle($0) }
        let operations = ListDifference.operations(from: before, to: before.reversed(), isReplaced: { _ in false })
        #expect(moveCount(operations) == 19_999)
        #expect(operations.count == 19_999)
        // The comparison is not in the expectation, because its message would have 40,000 numbers.
        let isReversed = result(of: operations, on: before) == before.reversed()
        #expect(isReversed)
    }

    @Test func `a long list is compared once for each kept element`() {
        let before = (0..<20_000).map { ListHandle($0) }
        var asked: [ListHandle] = []
        let operations = ListDifference.operations(from: before, to: before + [20_000]) { handle in
            asked.append(handle)
            return false
        }
        #expect(operations == [.add(20_000, at: 20_000)])
        #expect(asked == before)
    }

    // MARK: The naive model

    /// Returns lists that share some elements: often with an equal start and end, some shuffled, some moved a little.
    private func lists(_ random: inout SeededGenerator) -> (before: [ListHandle], after: [ListHandle]) {
        let count = random.pick([0, 1, 2, 3, 5, 8, 30, 200])
        var before = (0..<count).map { ListHandle($0) }
        before.shuffle(using: &random)
        var after = before
        let (removeShare, addShare) = (random.pick([0, 0, 100, 500]), random.pick([0, 0, 100, 500]))
        after.removeAll { _ in random.chance(removeShare) }
        if random.chance(300) { after.shuffle(using: &random) }
        for _ in 0..<random.below(6) where after.count > 1 {
            let element = after.remove(at: random.below(after.count))
            after.insert(element, at: random.below(after.count + 1))
        }
        for handle in 0..<count where random.chance(addShare) {
            after.insert(ListHandle(1_000 + handle), at: random.below(after.count + 1))
        }
        return (before, after)
    }

    private func result(of operations: [ListOperation<ListHandle>], on list: [ListHandle]) -> [ListHandle] {
        var list = list
        for operation in operations {
            switch operation {
            case .add(let element, let index): list.insert(element, at: index)
            case .remove(let index): list.remove(at: index)
            case .replace(let element, let index): list[index] = element
            case .move(let from, let to): list.insert(list.remove(at: from), at: to)
            }
        }
        return list
    }

    private func added(by operations: [ListOperation<ListHandle>]) -> [ListHandle] {
        operations.compactMap { if case .add(let element, _) = $0 { element } else { nil } }
    }

    private func moveCount(_ operations: [ListOperation<ListHandle>]) -> Int {
        operations.count { if case .move = $0 { true } else { false } }
    }

    /// Returns the length of the longest subsequence of `kept` in the order of `after`: for each element, one more than
    /// the best of those before it.
    private func longestRunCount(_ kept: [ListHandle], _ after: [ListHandle]) -> Int {
        let ranks = kept.map { after.firstIndex(of: $0) ?? -1 }
        var best: [Int] = []
        for (index, rank) in ranks.enumerated() {
            var longest = 0
            for earlier in 0..<index where ranks[earlier] < rank { longest = max(longest, best[earlier]) }
            best.append(longest + 1)
        }
        return best.max() ?? 0
    }
}

extension ListOperation {
    /// The rank of an operation in the order: removes, then adds and moves, then replaces.
    fileprivate var rank: Int {
        switch self {
        case .remove: 0
        case .add, .move: 1
        case .replace: 2
        }
    }
}

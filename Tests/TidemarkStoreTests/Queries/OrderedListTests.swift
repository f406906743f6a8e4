import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkStore

/// The treap against a plain array, under seeded random operations.
@Suite(.pooled) struct OrderedListTests {
    private struct Element: Equatable {
        var node: ListNode
        var handle: ListHandle
        var sortKey: [UInt8]
        var marks: ElementMarks
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `places, counts and prefixes are those of a plain array`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var list = OrderedList()
        var model: [Element] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 1_500) {
            let step = walk.step - 1
            switch random.below(10) {
            case 0..<4:
                let index = random.below(model.count + 1)
                let marks = ElementMarks(rawValue: UInt8(random.below(32)))
                let handle = ListHandle(step)
                let node = list.insert(handle, sortKey: [UInt8(random.below(256))], marks: marks, at: index)
                model.insert(
                    Element(node: node, handle: handle, sortKey: list.sortKey(of: node), marks: marks), at: index)
            case 4..<6 where !model.isEmpty:
                list.remove(model.remove(at: random.below(model.count)).node)
            case 6 where !model.isEmpty:
                let element = model.remove(at: random.below(model.count))
                let index = random.below(model.count + 1)
                list.move(element.node, to: index)
                model.insert(element, at: index)
            case 7..<9 where !model.isEmpty:
                let index = random.below(model.count)
                model[index].marks = ElementMarks(rawValue: UInt8(random.below(32)))
                list.setMarks(of: model[index].node, model[index].marks)
            case 9 where random.below(100) == 0:
                list.removeAll()
                model = []
            default: break
            }
            if step % 7 == 0 { compare(list, model) }
        }
        compare(list, model)
    }

    private func compare(_ list: OrderedList, _ model: [Element]) {
        list.checkInvariants()
        var nodes: [ListNode] = []
        list.forEachNode { nodes.append($0) }
        #expect(nodes == model.map(\.node))
        #expect(list.last == model.last?.node)
        let shown = model.filter(\.marks.isShown)
        let own = model.filter { !$0.marks.contains(.isExtra) }
        #expect(list.wholeCount == model.count && list.count == own.count && list.shownCount == shown.count)
        #expect(
            list.missingCount
                == model.count {
                    $0.marks.contains(.isMissing) && !$0.marks.contains(.isCovered) && !$0.marks.contains(.isSupplied)
                })
        for countMax in [0, 1, 3, shown.count, Int.max] {
            #expect(list.shownPrefix(countMax) == shown.prefix(countMax).map(\.handle))
        }
        let parts: [(OrderedList.Part, [Element])] = [(.all, model), (.own, own), (.shown, shown)]
        for (part, elements) in parts {
            #expect(elements.indices.map { list.node(at: $0, among: part) } == elements.map(\.node))
            #expect(elements.map { list.index(of: $0.node, among: part) } == Array(elements.indices))
        }
        // The place of an element outside a part is the number of elements of the part before it.
        var shownCount = 0
        let places = model.map { element in
            defer { if element.marks.isShown { shownCount += 1 } }
            return shownCount
        }
        #expect(model.map { list.index(of: $0.node, among: .shown) } == places)
        #expect(model.map { list.handle(of: $0.node) } == model.map(\.handle))
        #expect(model.map { list.marks(of: $0.node) } == model.map(\.marks))
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `the bound of a sort key counts the elements before it in each part`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var list = OrderedList()
        var model: [Element] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 300) {
            let step = walk.step - 1
            let sortKey = [UInt8(random.below(40)), UInt8(random.below(4))]
            let index = list.lowerBound(sortKey, among: .all)
            #expect(index == model.count { $0.sortKey.lexicographicallyPrecedes(sortKey) })
            let marks = ElementMarks(rawValue: UInt8(random.below(32)))
            let node = list.insert(ListHandle(step), sortKey: sortKey, marks: marks, at: index)
            model.insert(Element(node: node, handle: ListHandle(step), sortKey: sortKey, marks: marks), at: index)
            let wanted = [UInt8(random.below(40))]
            let before = model.filter { $0.sortKey.lexicographicallyPrecedes(wanted) }
            #expect(list.lowerBound(wanted, among: .all) == before.count)
            #expect(list.lowerBound(wanted, among: .shown) == before.count(where: \.marks.isShown))
            #expect(list.lowerBound(wanted, among: .own) == before.count { !$0.marks.contains(.isExtra) })
        }
    }
}

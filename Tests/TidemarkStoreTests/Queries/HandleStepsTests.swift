import TidemarkModel
import TidemarkTestKit
import TidemarkTesting
import TestTraits
import Testing

@testable import TidemarkStore

/// The steps of one list in one unit, without lists and observers.
@Suite(.pooled) struct HandleStepsTests {
    private func steps(_ given: HandleStep...) -> (steps: [HandleStep], isUncertain: Bool) {
        var steps = HandleSteps()
        var isUncertain = false
        for step in given where steps.append(step) { isUncertain = true }
        return (steps.all, isUncertain)
    }

    @Test func `an element that comes and goes leaves no step`() {
        #expect(steps(.add(1, at: 2), .remove(1, at: 2)).steps == [])
        #expect(steps(.replace(7, at: 0), .add(1, at: 2), .remove(1, at: 2)).steps == [.replace(7, at: 0)])
    }

    @Test func `an element that moves or changes and then goes only goes`() {
        #expect(steps(.move(1, from: 4, to: 2), .remove(1, at: 2)).steps == [.remove(1, at: 4)])
        #expect(steps(.replace(1, at: 2), .remove(1, at: 2)).steps == [.remove(1, at: 2)])
        #expect(steps(.add(1, at: 3), .replace(1, at: 3), .remove(1, at: 3)).steps == [])
    }

    @Test func `an element that goes and comes back moves, and may be unchanged`() {
        let moved = steps(.remove(1, at: 4), .add(1, at: 2))
        #expect(moved.steps == [.move(1, from: 4, to: 2), .replace(1, at: 2)])
        #expect(moved.isUncertain)
        let stayed = steps(.remove(1, at: 4), .add(1, at: 4))
        #expect(stayed.steps == [.replace(1, at: 4)])
        #expect(stayed.isUncertain)
        #expect(!steps(.remove(1, at: 4), .add(2, at: 4)).isUncertain)
    }

    @Test func `an element is replaced once, and not when it is new`() {
        var steps = HandleSteps()
        steps.appendReplacement(of: 1, at: 0)
        steps.appendReplacement(of: 1, at: 0)
        _ = steps.append(.add(2, at: 1))
        steps.appendReplacement(of: 2, at: 1)
        #expect(steps.all == [.replace(1, at: 0), .add(2, at: 1)])
    }

    @Test func `an array that was given out is filled again`() {
        var steps = HandleSteps()
        for number in 0..<40 { _ = steps.append(.add(ListHandle(number), at: number)) }
        var given = steps.removeAll()
        #expect(steps.isEmpty && given.count == 40)
        let capacity = given.capacity
        steps.reuse(&given)
        #expect(steps.isEmpty && given.isEmpty && steps.all.capacity == capacity)
    }

    @Test(arguments: TestScale.seeds(200))
    func `the steps lead from the list before to the list after, whatever was combined`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let before = (0..<random.below(6)).map { ListHandle($0) }
        var after = before
        var steps = HandleSteps()
        let stepCount = random.below(12)
        var walk = RandomWalk(seed: seed)
        while walk.next(of: stepCount) {
            let handle = ListHandle(random.below(8))
            if let index = after.firstIndex(of: handle) {
                if random.chance(300) {
                    steps.appendReplacement(of: handle, at: index)
                } else {
                    after.remove(at: index)
                    _ = steps.append(.remove(handle, at: index))
                }
            } else {
                let index = random.below(after.count + 1)
                after.insert(handle, at: index)
                _ = steps.append(.add(handle, at: index))
            }
        }
        var list = before
        for step in steps.all {
            switch step {
            case .add(let handle, let index): list.insert(handle, at: index)
            case .remove(let handle, let index): #expect(list.remove(at: index) == handle, "seed \(seed)")
            case .replace: break
            case .move(let handle, let from, let to):
                #expect(list.remove(at: from) == handle, "seed \(seed)")
                list.insert(handle, at: to)
            }
        }
        #expect(list == after, "seed \(seed)")
    }
}

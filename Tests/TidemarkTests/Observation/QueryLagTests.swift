import TestTraits
import Testing
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// The notifications of a slow observer, against a model that keeps the whole list that the observer saw, with its
/// values.
@Suite(.pooled) struct QueryLagTests {
    /// A list with versions of its elements, which changes step by step.
    private struct Walk {
        var random: SeededGenerator
        var list: [ListHandle]
        /// The version of every element that ever existed; the version is also its checksum.
        var versions: [ListHandle: UInt8] = [:]
        /// The newest lag at the moment when an element's former value was last logged.
        var knownBy: [ListHandle: Int64] = [:]
        var newestLag: Int64 = 0

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            list = (0..<random.below(12)).map { ListHandle($0) }
        }

        /// Makes the next step.
        ///
        /// - Parameter movesPerMille: The rate at which elements enter, leave or move.
        mutating func next(movesPerMille: Int) -> ListStep? {
            guard random.chance(movesPerMille) else { return replaced() }
            switch random.below(3) {
            case 0:
                let handle = ListHandle(random.below(24))
                guard !list.contains(handle) else { return nil }
                // An element outside the list changes without a notification.
                versions[handle, default: 0] &+= UInt8(random.below(2))
                let index = random.below(list.count + 1)
                list.insert(handle, at: index)
                return .add(value(handle, old: []), at: index)
            case 1:
                guard !list.isEmpty else { return nil }
                let index = random.below(list.count)
                let handle = list.remove(at: index)
                return .remove(value(handle, old: [versions[handle, default: 0]]), at: index)
            default:
                guard list.count > 1 else { return nil }
                let (from, to) = (random.below(list.count), random.below(list.count))
                let handle = list.remove(at: from)
                list.insert(handle, at: to)
                return .move(handle, from: from, to: to)
            }
        }

        private mutating func replaced() -> ListStep? {
            guard !list.isEmpty else { return nil }
            let index = random.below(list.count)
            let handle = list[index]
            let old = versions[handle, default: 0]
            // There are few versions, so that an element often returns to an earlier value.
            versions[handle] = UInt8(random.below(3))
            defer { knownBy[handle] = newestLag }
            return .replace(value(handle, old: [old]), at: index)
        }

        private func value(_ handle: ListHandle, old: [UInt8]) -> ListedValue {
            // A value that every lag knows is not logged again.
            let known = knownBy[handle, default: 0]
            return ListedValue(handle: handle, payload: [], old: known >= newestLag ? [] : old, knownBy: known)
        }
    }

    /// A lag, and everything that its observer saw.
    private struct Slow {
        let lag: QueryLag
        let list: [ListHandle]
        let versions: [ListHandle: UInt8]
        var retained: Set<ListHandle> = []
    }

    @Test(arguments: TestScale.seeds(300))
    func `notified changes lead from the seen list to the current one, as a comparison would`(seed: UInt64) {
        var walk = Walk(seed: seed)
        let movesPerMille = walk.random.pick([0, 20, 300])
        var slow: [Slow] = []
        var steps = RandomWalk(seed: seed)
        while steps.next(of: 60) {
            if slow.count < 3, walk.random.chance(150) {
                walk.newestLag += 1
                let lag = QueryLag(number: walk.newestLag, unloggedCount: 0, isStale: false)
                slow.append(Slow(lag: lag, list: walk.list, versions: walk.versions))
            } else if !slow.isEmpty, walk.random.chance(60) {
                slow.remove(at: walk.random.below(slow.count))
            }
            let before = walk.list
            guard let next = walk.next(movesPerMille: movesPerMille) else { continue }
            for index in slow.indices {
                absorb(next, before, &slow[index])
                check(slow[index], walk, "\(steps)")
            }
        }
    }

    private func absorb(_ step: ListStep, _ before: [ListHandle], _ slow: inout Slow) {
        if slow.lag.base == nil, step.isStructural { slow.lag.setBase(before) }
        switch slow.lag.absorb(step, checksum: { UInt64($0[0]) }) {
        case .retain(let handle): #expect(slow.retained.insert(handle).inserted)
        case .release(let handle): #expect(slow.retained.remove(handle) != nil)
        case nil: break
        }
    }

    private func check(_ slow: Slow, _ walk: Walk, _ place: String) {
        let (seen, now) = (Set(slow.list), Set(walk.list))
        let wanted = ListDifference.operations(from: slow.list, to: walk.list) { handle in
            slow.versions[handle, default: 0] != walk.versions[handle, default: 0]
        }
        let told = slow.lag.operations(to: { walk.list }, checksum: { UInt64(walk.versions[$0, default: 0]) })
        #expect(told == wanted, "\(place)")
        #expect(slow.lag.left == seen.subtracting(now), "\(place)")
        #expect(slow.lag.added == now.subtracting(seen), "\(place)")
        #expect(slow.retained == slow.lag.left, "\(place)")
        #expect(slow.lag.rememberedCount <= slow.list.count, "\(place)")
        if let base = slow.lag.base { #expect(base == slow.list, "\(place)") }
    }

    @Test func `a list whose elements stay where they are is not copied`() {
        let lag = QueryLag(number: 1, unloggedCount: 0, isStale: false)
        for index in [4, 2, 4, 3] {
            let value = ListedValue(handle: ListHandle(index), payload: [], old: [UInt8(index)], knownBy: 0)
            #expect(lag.absorb(.replace(value, at: index), checksum: { UInt64($0[0]) }) == nil)
        }
        // The third element has its earlier value.
        let told = lag.operations(
            to: { preconditionFailure("nobody needs the list") }, checksum: { $0 == 3 ? 3 : 77 })
        #expect(told == [.replace(2, at: 2), .replace(4, at: 4)])
        #expect(lag.base == nil)
        #expect(lag.rememberedCount == 3)
    }
}

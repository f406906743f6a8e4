import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// The registry of observers as a value, against plain arrays.
@Suite(.pooled, .tags(.model)) struct ObserverRegistryTests {
    private final class Sink: ObserverSink {
        func offer(_ notification: CacheNotification) -> Bool { true }
        func deliver(_ notification: CacheNotification) {}
    }

    private struct Known: Equatable {
        var subscription: SubscriptionID
        var sink: Int
        var query: QueryID?
        var handle: ListHandle?
    }

    private static let key = EntityKey(library: "a", type: "file", id: "1")

    private func queryObserver(_ query: QueryID, _ sink: Sink) -> ObserverRegistry.QueryObserver {
        ObserverRegistry.QueryObserver(
            query: query, key: QueryKey(library: "a", method: "all", canonicalInput: "{}"), fields: nil, sink: sink,
            shownStale: false)
    }

    @Test(arguments: TestScale.seeds(8))
    func `observers are found by query, entity and sink in the order in which they came`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sinks = (0..<3).map { _ in Sink() }
        var registry = ObserverRegistry()
        var model: [Known] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 300) {
            let sink = random.below(sinks.count)
            switch random.below(6) {
            case 0, 1:
                let query = QueryID(random.below(5))
                let subscription = registry.add(queryObserver(query, sinks[sink]))
                model.append(Known(subscription: subscription, sink: sink, query: query))
            case 2:
                let handle = ListHandle(random.below(5))
                let subscription = registry.add(
                    ObserverRegistry.EntityObserver(handle: handle, key: Self.key, fields: nil, sink: sinks[sink]))
                model.append(Known(subscription: subscription, sink: sink, handle: handle))
            case 3 where !model.isEmpty:
                let known = model.remove(at: random.below(model.count))
                let wasQuery = registry.removeQueryObserver(known.subscription) != nil
                let wasEntity = registry.removeEntityObserver(known.subscription) != nil
                try walk.check((wasQuery, wasEntity) == (known.query != nil, known.handle != nil) ? [] : ["kinds"])
            case 4:
                let (old, new) = (ListHandle(random.below(5)), ListHandle(5 + random.below(5)))
                registry.rename(old, to: new, Self.key)
                for index in model.indices where model[index].handle == old { model[index].handle = new }
            default:
                // An observer that is not there is removed by nobody.
                let unknown = SubscriptionID(1_000_000)
                try walk.check(registry.removeQueryObserver(unknown) == nil ? [] : ["an unknown observer"])
            }
            walk.note("\(model.count) observers")
            try walk.check(differences(registry, model, sinks))
        }
    }

    private func differences(_ registry: ObserverRegistry, _ model: [Known], _ sinks: [Sink]) -> [String] {
        var found: [String] = []
        if registry.count != model.count { found.append("\(registry.count) of \(model.count) observers") }
        for number in 0..<5 {
            let query = QueryID(number)
            let wanted = model.filter { $0.query == query }.map(\.subscription)
            if registry.observers(of: query).map(\.subscription) != wanted { found.append("those of query \(number)") }
            if registry.isObserved(query) != !wanted.isEmpty { found.append("whether query \(number) is observed") }
        }
        if registry.observedQueryCount != Set(model.compactMap(\.query)).count { found.append("the observed queries") }
        for number in 0..<10 {
            let wanted = model.filter { $0.handle == ListHandle(number) }.map(\.subscription)
            let seen = registry.byEntity[ListHandle(number)] ?? []
            if Set(seen) != Set(wanted) || seen.count != wanted.count { found.append("those of entity \(number)") }
        }
        for (number, sink) in sinks.enumerated() {
            let wanted = model.filter { $0.sink == number }.map(\.subscription)
            if registry.subscriptions(of: sink) != wanted { found.append("those of sink \(number)") }
        }
        return found
    }

    @Test func `lagging observers are taken once, in the order in which they fell behind`() {
        var registry = ObserverRegistry()
        let (sink, other) = (Sink(), Sink())
        for number in [4, 2, 9] as [Int64] { registry.noteLag(SubscriptionID(number), of: sink) }
        registry.noteLag(SubscriptionID(5), of: other)
        registry.forgetLag(SubscriptionID(2), of: sink)
        let taken = registry.takeLagging(of: sink)
        let takenAgain = registry.takeLagging(of: sink)
        #expect(taken.map(\.rawValue) == [4, 9] && takenAgain.isEmpty)
        registry.forgetLagging(of: other)
        let forgotten = registry.takeLagging(of: other)
        #expect(forgotten.isEmpty)
    }

    @Test func `a query is held back once, until it is taken`() {
        var registry = ObserverRegistry()
        #expect(!registry.isHeldBack)
        for number in [3, 1, 3] { registry.holdBack(QueryID(number)) }
        #expect(registry.isHeldBack)
        let taken = registry.takeHeldBack()
        let takenAgain = registry.takeHeldBack()
        #expect(taken == [QueryID(3), QueryID(1)] && takenAgain.isEmpty && !registry.isHeldBack)
    }
}

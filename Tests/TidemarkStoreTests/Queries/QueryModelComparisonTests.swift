import Foundation
import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Queries against a model that evaluates everything anew after every step. Laws: L3, L6, L9, L10, L11.
@Suite(.pooled, .tags(.model)) struct QueryModelComparisonTests {
    @Test(arguments: TestScale.seeds(12))
    func `under layers lists, staleness and notifications agree with the model`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed ^ 0x1A7E_57A7)
        var limits = Limits()
        if random.chance(200) { limits.layerCountMax = 3 }
        var generator = LayerOperationGenerator(seed: seed &+ 7_000)
        var model = ReferenceCache(now: 1_000_000, layerCountMax: limits.layerCountMax)
        var subject = try await QueryStateFixture(limits: limits, now: 1_000_000)
        let (flushes, restarts) = (random.pick([20, 200, 500]), random.pick([0, 10, 50]))
        var run = RandomWalk(seed: seed)
        while run.next(of: 100) {
            let operation = generator.next(model)
            run.note("\(operation)")
            let layers = model.layers
            let wanted = try model.perform(operation)
            let found = try await subject.perform(operation)
            var problems = subject.followLog(
                unitCountMax: unitCountMax(operation), isSingle: layers == model.layers && isSingle(operation))
            problems += try await compare(&subject, &model, names: generator.names)
            subject.state.checkInvariants()
            if found != wanted { problems.append("\(found), not \(wanted)") }
            try run.check(problems)
            if random.chance(150) {
                let name = random.pick(generator.names)
                _ = model.read(name)
                if try await subject.observe(name) { model.observed.insert(name) }
            }
            if random.chance(flushes) { try await subject.stepFlush(evicts: random.chance(700)) }
            if random.chance(restarts) {
                try await subject.restart(seed: seed &+ UInt64(run.step))
                model.restart()
            }
        }
    }

    @Test(arguments: TestScale.seeds(12))
    func `under random operations lists, staleness and notifications agree with the model`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed ^ 0xF00D)
        var limits = Limits()
        if random.chance(300) { limits.queryCountMax = 2 }
        if random.chance(150) { limits.queryElementCountMax = 4 + random.below(4) }
        // A local list that is cut has no oracle: it shows the first elements that it happened to get.
        var generator = CacheOperationGenerator(seed: seed)
        var model = ReferenceCache(
            now: 1_000_000, queryCountMax: limits.queryCountMax, elementCountMax: limits.queryElementCountMax)
        var subject = try await QueryStateFixture(limits: limits, now: 1_000_000)
        let flushes = random.pick([20, 200, 500])
        let restarts = random.pick([0, 10])
        let observes = random.pick([50, 300])
        var run = RandomWalk(seed: seed)
        while run.next(of: 100) {
            var operation = generator.next(model)
            if limits.queryElementCountMax < 100, case .put(let name, var answer) = operation, answer.isLocal {
                answer.isLocal = false
                operation = .put(name, answer)
            }
            run.note("\(operation)")
            let wanted = try model.perform(operation)
            let found = try await subject.perform(operation)
            var problems = subject.followLog(unitCountMax: unitCountMax(operation), isSingle: isSingle(operation))
            problems += try await compare(&subject, &model, names: generator.names)
            subject.state.checkInvariants()
            if found != wanted { problems.append("\(found), not \(wanted)") }
            try run.check(problems)
            if random.chance(observes) {
                let name = random.pick(generator.names)
                // Looking up the list counts as a read.
                _ = model.read(name)
                if model.observed.contains(name), random.chance(400) {
                    _ = try await subject.observe(name)
                    subject.stopObserving(name)
                    model.stopObserving(name)
                } else if try await subject.observe(name) {
                    model.observed.insert(name)
                }
            }
            if random.chance(flushes) {
                try await subject.stepFlush(evicts: random.chance(700))
            }
            if random.chance(restarts) {
                try await subject.restart(seed: seed &+ UInt64(run.step))
                model.restart()
            }
        }
    }

    private func compare(
        _ subject: inout QueryStateFixture, _ model: inout ReferenceCache, names: [ReferenceQueryName]
    ) async throws -> [String] {
        var problems: [String] = []
        for name in names {
            var wanted = model.read(name)
            // The engine's tests check this flag.
            wanted?.isPending = false
            let found = try await subject.list(name)
            let text = String(decoding: name.input, as: UTF8.self)
            if found != wanted {
                problems.append("\(text) is \(describe(found)), not \(describe(wanted))")
            }
            guard let observer = subject.observers[name] else { continue }
            if observer.list != wanted?.resources ?? [] || observer.isStale != wanted?.isStale ?? true {
                problems.append(
                    "an observer of \(text) saw \(observer.list.map { String(decoding: $0, as: UTF8.self) }), "
                        + "stale \(observer.isStale); it is \(describe(wanted))")
            }
        }
        problems += subject.followLog(unitCountMax: 0, isSingle: true).map { "reading changed something: \($0)" }
        return problems
    }

    private func describe(_ list: ReferenceList?) -> String {
        guard let list else { return "nothing" }
        return "\(list.resources.map { String(decoding: $0, as: UTF8.self) }) stale \(list.isStale) "
            + "partial \(list.isPartial) as of \(list.asOf.map { "\($0)" } ?? "-")"
    }

    private func unitCountMax(_ operation: CacheOperation) -> Int {
        switch operation {
        // The gap is lost, then the event after it is applied.
        case .eventBehindGap: 2
        // An answer, and each page of entities from the disk, is a change.
        case .put(_, let answer): answer.isLocal ? .max : 1
        default: 1
        }
    }

    private func isSingle(_ operation: CacheOperation) -> Bool {
        switch operation {
        case .event(.change(_, _, let resources, _, _, _)): resources.count == 1
        case .eventBehindGap, .event: true
        default: false
        }
    }
}

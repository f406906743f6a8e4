import TidemarkReferenceModel
import TidemarkTesting

/// Draws operations on a cache, with few names and few values, so that keys, positions and sequences often coincide.
///
/// The weights are drawn once per seed, so that some walks are nearly all events and others nearly all answers.
package struct CacheOperationGenerator {
    private static let libraries = ["a", "b"]
    private static let types = ["file", "tag"]
    private var random: SeededGenerator
    private let weights: [Int]
    private let coldIDCount: Int
    private let queryCount: Int
    private var epoch = 0

    /// Creates a generator; the seed decides the weights too.
    package init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let (fewOrMany, rare) = ([1, 1, 4, 20], [0, 1, 2])
        var drawn = SeededGenerator(seed: seed ^ 0x5EED)
        weights =
            [30 + drawn.pick(fewOrMany), drawn.pick(fewOrMany), drawn.pick(fewOrMany), drawn.pick(fewOrMany)]
            + [drawn.pick(rare), drawn.pick(rare), drawn.pick(rare), drawn.pick(rare)]
            + [drawn.pick(fewOrMany), drawn.pick(rare), drawn.pick(rare), drawn.pick(fewOrMany)]
        coldIDCount = drawn.pick([6, 30, 90])
        queryCount = drawn.pick([3, 8])
    }

    /// All names that a query may have.
    package var names: [ReferenceQueryName] {
        (0..<queryCount).map { index in
            let input = index % 3 == 2 ? #"{"q":\#(index)}"# : #"{"loc":\#(index % 2),"q":\#(index)}"#
            return ReferenceQueryName(
                library: Array(Self.libraries[index % 4 == 3 ? 1 : 0].utf8), method: Array("m".utf8),
                input: Array(input.utf8))
        }
    }

    /// Draws the next operation.
    ///
    /// - Parameter model: The model in its current state; sequences continue from its cursors.
    package mutating func next(_ model: ReferenceCache) -> CacheOperation {
        let library = random.chance(800) ? "a" : "b"
        let type = random.chance(800) ? "file" : "tag"
        switch random.weighted(weights) {
        case 0: return change(library, type, model)
        case 1: return .event(.delete(library: library, type: type, id: id(), sequence: sequence(library, model)))
        case 2: return put(model)
        case 3: return fetch(model)
        case 4:
            return .event(
                .bulk(library: library, type: type, hints: hints(), sequence: sequence(library, model)))
        case 5: return .event(.refresh(library: random.chance(500) ? library : nil))
        case 6:
            epoch += 1
            return .event(.reset(library: library, epoch: "e\(epoch)"))
        case 7:
            guard let cursor = model.libraries[Array(library.utf8)]?.cursor else { return change(library, type, model) }
            return .eventBehindGap(
                .change(
                    library: library, type: type, resources: [resource(id())],
                    sequence: cursor + 2 + Int64(random.below(3)), merges: false, isIndex: false))
        case 8: return .transact(library: library, steps())
        case 9: return .remove(library: library, type: type, ids: (0...random.below(3)).map { _ in id() })
        case 10:
            if random.chance(200) { return .clear(library: random.chance(700) ? library : nil) }
            return .invalidate(
                library: library, random.chance(300) ? random.pick(names) : nil,
                type: random.chance(500) ? type : nil, hints: hints())
        default: return .wait(milliseconds: Int64(random.below(400)))
        }
    }

    private mutating func change(_ library: String, _ type: String, _ model: ReferenceCache) -> CacheOperation {
        let isBatch = random.chance(200)
        let resources = isBatch ? (0..<1 + random.below(5)).map { _ in resource(id()) } : [resource(id())]
        return .event(
            .change(
                library: library, type: type, resources: resources, sequence: sequence(library, model),
                merges: random.chance(250), isIndex: isBatch && random.chance(100)))
    }

    private mutating func sequence(_ library: String, _ model: ReferenceCache) -> Int64? {
        guard random.chance(850) else { return nil }
        guard let cursor = model.libraries[Array(library.utf8)]?.cursor else { return Int64(1 + random.below(20)) }
        return cursor + 1
    }

    private mutating func put(_ model: ReferenceCache) -> CacheOperation {
        let name = random.pick(names)
        return .put(name, answer(name, model))
    }

    private mutating func fetch(_ model: ReferenceCache) -> CacheOperation {
        let name = random.pick(names)
        guard model.fetches[name] != nil else { return .beginFetch(name) }
        var answer = answer(name, model)
        answer.isLocal = false
        return .answer(name, answer)
    }

    private mutating func answer(_ name: ReferenceQueryName, _ model: ReferenceCache) -> CacheAnswer {
        let type = random.chance(850) ? "file" : "tag"
        let other = type == "file" ? "tag" : "file"
        var seen: Set<String> = []
        let ids = (0..<random.below(random.chance(150) ? 40 : 6)).map { _ in id() }.filter { seen.insert($0).inserted }
        var answer = CacheAnswer(type: type, resources: ids.map { projection($0) })
        if random.chance(300) {
            answer.included = [(random.chance(500) ? type : other, (0..<random.below(3)).map { _ in projection(id()) })]
        }
        if random.chance(250) { answer.timeToLive = Int64(1 + random.below(600)) }
        if random.chance(500), let cursor = model.libraries[name.library]?.cursor {
            answer.asOf = max(0, cursor - 3 + Int64(random.below(7)))
        }
        if random.chance(650) {
            // A query mostly keeps its rule, so that its lists live long.
            let place = random.chance(850) ? Int(name.input.last { $0 >= 0x30 && $0 <= 0x39 } ?? 0) : random.below(8)
            answer.rule = rule(place % 8, type)
            answer.isLocal = random.chance(350)
        }
        if random.chance(250) { answer.tags = random.pick([#"{"loc":0}"#, #"{"loc":1}"#, #"["x"]"#]) }
        return answer
    }

    private func rule(_ place: Int, _ type: String) -> String {
        let part = [
            "", #","order":[{"path":"/n"}]"#, #","where":{"path":"/n","lte":1},"order":[{"path":"/t"}]"#,
            #","order":[{"path":"/n","direction":"desc"},{"path":"/t"}],"limit":2"#,
            #","where":{"path":"/n","exists":true},"order":[{"path":"/n"}],"limit":3"#, #","limit":1"#,
            #","where":{"not":{"path":"/t","eq":"x"}},"order":[{"path":"/t","direction":"desc"}],"limit":5"#,
            #","where":{"path":"/n","in":[0,2,null]}"#,
        ]
        return #"{"resource_type":"\#(type)"\#(part[place])}"#
    }

    private mutating func steps() -> [CacheStep] {
        (0...random.below(4)).map { _ in
            let type = random.chance(800) ? "file" : "tag"
            switch random.weighted([4, 3, 2]) {
            case 0: return .put(type: type, resource: resource(id()))
            case 1:
                return .patch(
                    type: type, id: id(), fields: #"{"n":\#(number())}"#, unset: random.chance(300) ? ["t"] : [])
            default: return .delete(type: type, id: id())
            }
        }
    }

    private mutating func hints() -> String? {
        random.pick([nil, "{}", #"{"loc":0}"#, #"{"loc":1}"#, #"{"q":1,"loc":1}"#, #"{"none":1}"#])
    }

    private mutating func id() -> String {
        random.chance(650) ? "k\(random.below(5))" : "k\(5 + random.below(coldIDCount))"
    }

    private mutating func number() -> String { random.pick(["0", "1", "2", "3", "null", "1.0", "\"1\"", "-1"]) }

    private mutating func resource(_ id: String) -> String {
        let n = random.chance(850) ? ",\"n\":\(number())" : ""
        let t = random.chance(600) ? ",\"t\":\"\(random.pick(["x", "y", ""]))\"" : ""
        return #"{"id":"\#(id)"\#(n)\#(t)}"#
    }

    /// Returns a resource as in an answer, with a field that events do not have, and possibly without one that events
    /// have.
    private mutating func projection(_ id: String) -> String {
        let n = random.chance(700) ? ",\"n\":\(number())" : ""
        return #"{"id":"\#(id)"\#(n),"p":\#(random.below(3))}"#
    }
}

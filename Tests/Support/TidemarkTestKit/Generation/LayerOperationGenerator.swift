import TidemarkReferenceModel
import TidemarkTesting

/// Draws operations on a cache whose host edits before its server answers.
///
/// The weights are drawn once per seed, and some are zero: some walks never confirm, others never roll back, and layers
/// pile up or settle immediately.
package struct LayerOperationGenerator {
    private var random: SeededGenerator
    private var base: CacheOperationGenerator
    private let weights: [Int]
    private let coldIDCount: Int
    /// True if temporary ids may enter the base too.
    private let hasTemporaryBase: Bool

    /// Creates a generator.
    ///
    /// - Parameter hasTemporaryBase: True if temporary ids may enter the base; nil lets the seed decide.
    package init(seed: UInt64, hasTemporaryBase: Bool? = nil) {
        random = SeededGenerator(seed: seed ^ 0x1A7E)
        base = CacheOperationGenerator(seed: seed)
        var drawn = SeededGenerator(seed: seed ^ 0x1A7E_5EED)
        let often = [4, 20, 60]
        weights =
            [40, 20 + drawn.pick(often), drawn.pick([0, 5, 20]), drawn.pick([0, 5, 20]), drawn.pick([0, 5, 20])]
            + [drawn.pick([0, 5, 20]), drawn.pick([0, 5]), drawn.pick([0, 5])]
        coldIDCount = drawn.pick([1, 20])
        let isDrawn = drawn.chance(200)
        self.hasTemporaryBase = hasTemporaryBase ?? isDrawn
    }

    /// All names that a query may have.
    package var names: [ReferenceQueryName] { base.names }

    /// Draws the next operation.
    ///
    /// - Parameter model: The model in its current state.
    package mutating func next(_ model: ReferenceCache) -> CacheOperation {
        let pending = model.layers
        let place = random.weighted(weights)
        if place > 1, pending.isEmpty, random.chance(900) { return update(model) }
        switch place {
        case 0: return base.next(model)
        case 1: return update(model)
        case 2: return .commit(confirmed(model))
        case 3:
            var commit = commit(model)
            if random.chance(800) { commit.sequence = sequence(near: commit, model) }
            return .commit(commit)
        case 4: return .rollBack(pendingID: pendingID(model), library: random.chance(100) ? "b" : nil)
        case 5: return echo(model)
        case 6: return duplicate(model)
        default:
            // The server writes an entity that a layer changes, without naming the mutation.
            guard case .echo(let event, _) = echo(model) else { return base.next(model) }
            return .event(event)
        }
    }

    // MARK: Layers

    private mutating func update(_ model: ReferenceCache) -> CacheOperation {
        // An id is reused after its layer has settled, and sometimes before.
        let free = (0..<12).map { "m\($0)" }.filter { id in
            !model.layers.contains { $0.pendingID == Array(id.utf8) }
        }
        let id = random.chance(40) || free.isEmpty ? "m\(random.below(12))" : random.pick(free)
        var dependsOn: [String] = []
        if random.chance(250), !model.layers.isEmpty {
            for _ in 0...random.below(2) {
                let other = text(random.pick(model.layers).pendingID)
                if !dependsOn.contains(other) { dependsOn.append(other) }
            }
        }
        if random.chance(20) { dependsOn.append("nobody") }
        let library = random.chance(850) ? "a" : "b"
        return .update(
            CacheLayer(
                id, library: library, (0...random.below(random.pick([1, 1, 4]))).map { _ in step() },
                dependsOn: dependsOn))
    }

    private mutating func step() -> CacheStep {
        let type = random.chance(850) ? "file" : "tag"
        let id = id()
        switch random.weighted([5, 8, 4, 2]) {
        case 0: return .put(type: type, resource: resource(id))
        case 1:
            let fields = random.pick([
                #"{"n":\#(number())}"#, #"{"n":null}"#, #"{"t":"y"}"#, #"{"n":\#(number()),"t":"x"}"#, "{}",
                #"{"p":9}"#,
            ])
            return .patch(
                type: type, id: id, fields: fields, unset: random.chance(200) ? [random.pick(["n", "t"])] : [])
        case 2: return .delete(type: type, id: id)
        default: return .removeField(type: type, id: id, field: random.pick(["n", "t", "p"]))
        }
    }

    // MARK: Answers of a server

    private mutating func commit(_ model: ReferenceCache) -> CacheCommit {
        var commit = CacheCommit(pendingID(model))
        if random.chance(150) { commit.library = random.pick(["a", "a", "b"]) }
        guard let layer = layer(commit, model) else { return commit }
        let temporary = Set(layer.changes.map { text($0.key.id) }.filter { $0.hasPrefix("t") }).sorted()
        if random.chance(700) {
            for id in temporary {
                // The real entity sometimes exists already.
                let real = random.chance(300) ? "k\(random.below(5))" : "r\(random.below(40))"
                if !commit.realIDs.values.contains(real) { commit.realIDs[id] = real }
            }
        }
        if random.chance(50) { commit.realIDs["t9"] = "k9" }
        return commit
    }

    private mutating func confirmed(_ model: ReferenceCache) -> CacheCommit {
        var commit = commit(model)
        commit.confirmed = []
        if random.chance(850) { commit.sequence = sequence(near: commit, model) }
        guard let layer = layer(commit, model) else { return commit }
        var seen: Set<String> = []
        for key in layer.changes.map(\.key) where random.chance(800) {
            let name = commit.realIDs[text(key.id)] ?? text(key.id)
            // A server has no temporary ids.
            if name.hasPrefix("t"), !hasTemporaryBase { continue }
            guard seen.insert(name).inserted else { continue }
            if let json = model.view(key).json, name == text(key.id), random.chance(600) {
                commit.confirmed?.append(text(json.written))
            } else {
                commit.confirmed?.append(random.chance(500) ? resource(name) : #"{"id":"\#(name)","p":\#(number())}"#)
            }
        }
        if random.chance(60) { commit.confirmed?.append(resource("k0")) }
        let types = Set(layer.changes.map { text($0.key.type) }).sorted()
        if random.chance(400) { commit.type = random.pick(types) }
        // Confirm each resource only once.
        var ids: Set<String> = []
        commit.confirmed = commit.confirmed?.filter { ids.insert(String($0.split(separator: "\"")[2])).inserted }
        return commit
    }

    private func layer(_ commit: CacheCommit, _ model: ReferenceCache) -> ReferenceLayer? {
        model.layers.first { $0.pendingID == Array(commit.pendingID.utf8) }
    }

    private mutating func sequence(near commit: CacheCommit, _ model: ReferenceCache) -> Int64 {
        let library = layer(commit, model)?.library ?? Array("a".utf8)
        guard let cursor = model.libraries[library]?.cursor else { return Int64(1 + random.below(20)) }
        return max(0, cursor - 2 + Int64(random.below(7)))
    }

    private mutating func pendingID(_ model: ReferenceCache) -> String {
        guard random.chance(950), !model.layers.isEmpty else { return "m\(random.below(12))" }
        // Draw the oldest and the newest layer more often than those in between.
        switch random.below(3) {
        case 0: return text(model.layers[0].pendingID)
        case 1: return text(model.layers[model.layers.count - 1].pendingID)
        default: return text(random.pick(model.layers).pendingID)
        }
    }

    /// Returns the event of a mutation: with the visible resource, another one, a delete, or a bulk change.
    private mutating func echo(_ model: ReferenceCache) -> CacheOperation {
        guard !model.layers.isEmpty else { return base.next(model) }
        let layer = random.pick(model.layers)
        let key = random.pick(layer.changes).key
        let library = random.chance(950) ? text(layer.library) : "b"
        let cursor = model.libraries[Array(library.utf8)]?.cursor
        let sequence = random.chance(900) ? (cursor ?? Int64(random.below(5))) + 1 : nil
        var name = text(key.id)
        if name.hasPrefix("t"), !hasTemporaryBase { name = "r\(random.below(40))" }
        let pendingID = random.chance(950) ? text(layer.pendingID) : "nobody"
        let type = text(key.type)
        func change(_ resource: String) -> CacheOperation {
            .echo(
                .change(
                    library: library, type: type, resources: [resource], sequence: sequence, merges: false,
                    isIndex: false), mutationID: pendingID)
        }
        switch random.weighted([6, 3, 3, 1]) {
        case 0:
            guard name == text(key.id), let json = model.view(key).json else { return change(resource(name)) }
            return change(text(json.written))
        case 1: return change(resource(name))
        case 2:
            return .echo(
                .delete(library: library, type: type, id: name, sequence: sequence), mutationID: pendingID)
        default:
            return .echo(.bulk(library: library, type: type, hints: nil, sequence: sequence), mutationID: pendingID)
        }
    }

    /// Returns an event that the cache received before; it settles nothing.
    private mutating func duplicate(_ model: ReferenceCache) -> CacheOperation {
        guard case .echo(let event, let pendingID) = echo(model), let library = event.library,
            case .change(_, let type, let resources, _, _, _) = event,
            let cursor = model.libraries[Array(library.utf8)]?.cursor
        else { return base.next(model) }
        return .echo(
            .change(
                library: library, type: type, resources: resources,
                sequence: max(0, cursor - Int64(random.below(3))), merges: false, isIndex: false),
            mutationID: pendingID)
    }

    // MARK: Names and values

    private mutating func id() -> String {
        if random.chance(200) { return "t\(random.below(3))" }
        return random.chance(800) ? "k\(random.below(5))" : "k\(5 + random.below(coldIDCount))"
    }

    private mutating func number() -> String { random.pick(["0", "1", "2", "3", "null", "1.0", "\"1\"", "-1"]) }

    private mutating func resource(_ id: String) -> String {
        let n = random.chance(850) ? ",\"n\":\(number())" : ""
        let t = random.chance(600) ? ",\"t\":\"\(random.pick(["x", "y", ""]))\"" : ""
        return #"{"id":"\#(id)"\#(n)\#(t)}"#
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

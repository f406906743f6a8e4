import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// The comparisons of a walk with the model after each step.
extension OptimisticWalk {
    /// Compares lists, layers, and those entities that memory has anyway.
    mutating func compare() async throws -> [String] {
        try await compareLists() + compareLayers()
            + compareEntities(Set(model.layers.flatMap(\.changes).map(\.key)))
    }

    /// Compares everything; this loads all entities into memory.
    mutating func compareAll() async throws -> [String] {
        var keys = Set(model.entities.keys).union(model.tombstones.keys)
        keys.formUnion(model.layers.flatMap(\.changes).map(\.key))
        var problems = try await compareLists() + compareLayers() + compareEntities(keys) + compareCursors()
        for place in Set(keys.map { ReferenceKey(library: $0.library, type: $0.type, id: []) }) {
            let wanted = model.visibleKeys(library: place.library, type: place.type)
            let page = try await fixture.cache.list(
                type: ByteString(place.type), library: ByteString(place.library), after: nil, countMax: 10_000)
            if page.entities != wanted.compactMap({ model.view($0).json?.written }) {
                problems.append(
                    "\(text(place.type)) are \(page.entities.map { text($0) }), not "
                        + "\(wanted.map { text(model.view($0).json?.written) })")
            }
        }
        return problems
    }

    mutating func compareLists() async throws -> [String] {
        var problems: [String] = []
        for name in names {
            let wanted = model.read(name)
            let reply = Reply()
            var request = QueryRequest(try QueryFixture.key(name), policy: .cacheOnly)
            request.allowsStale = true
            await fixture.cache.read(request, observing: nil, reply: { reply.take($0, nil) }, later: { _ in })
            #expect(await eventually { reply.isThere })
            switch try #require(reply.replies.first) {
            case .success(let read):
                let found = ReferenceList(
                    ids: read.answer.keys.map(\.id.bytes), resources: read.answer.entities,
                    isStale: read.answer.isStale, isPartial: false, asOf: read.answer.asOf?.rawValue,
                    isPending: read.answer.isPending)
                if found != wanted {
                    problems.append("\(text(name.input)) is \(describe(found)), not \(describe(wanted))")
                }
            case .failure(let error):
                if wanted == nil || wanted?.isPartial == true, error.code == .cacheMiss { continue }
                problems.append("\(text(name.input)) is \(error), not \(describe(wanted))")
            }
        }
        return problems
    }

    func compareLayers() async throws -> [String] {
        let wanted = model.pendingLayers()
        let found = try await fixture.cache.pendingLayers().map { layer in
            ReferencePendingLayer(
                pendingID: layer.pendingID.bytes, library: layer.library.bytes, state: layer.state.rawValue,
                keys: try layer.operations.map { try OptimisticWalk.key($0, layer.library.bytes) },
                dependsOn: layer.dependsOn.map(\.bytes))
        }
        if found == wanted { return [] }
        func names(_ layers: [ReferencePendingLayer]) -> [String] {
            layers.map { layer in
                "\(text(layer.pendingID)) \(layer.state) \(layer.keys.map { text($0.id) }) after "
                    + "\(layer.dependsOn.map { text($0) })"
            }
        }
        return ["layers are \(names(found)), not \(names(wanted))"]
    }

    func compareCursors() async -> [String] {
        var problems: [String] = []
        let known = await fixture.cache.libraries()
        for (library, own) in model.libraries where own.cursor != nil {
            if !known.contains(where: { $0.library.bytes == library }) {
                problems.append("\(text(library)) is not known")
            }
        }
        for status in known {
            let wanted = model.libraries[status.library.bytes]?.cursor
            if status.cursor?.rawValue == wanted { continue }
            problems.append(
                "the log of \(status.library) is at \(status.cursor.debugDescription), not \(wanted.debugDescription)")
        }
        return problems
    }

    func compareEntities(_ keys: Set<ReferenceKey>) async throws -> [String] {
        var problems: [String] = []
        for key in keys.sorted() {
            let read = try await fixture.cache.read(OptimisticWalk.key(key), fields: nil)
            let view = model.view(key)
            let found = [
                text(read.entity), "\(read.isPending)", read.sequence.map { "\($0.rawValue)" } ?? "-",
                read.miss?.rawValue ?? "-",
            ]
            let wanted = [
                text(view.json?.written), "\(view.isPending)", model.entities[key]?.sequence.map { "\($0)" } ?? "-",
                model.miss(key) ?? "-",
            ]
            if found != wanted { problems.append("\(text(key.type)):\(text(key.id)) is \(found), not \(wanted)") }
        }
        return problems
    }

    static func key(_ operation: TransactionOperation, _ library: [UInt8]) throws -> ReferenceKey {
        switch operation {
        case .put(let type, let resource):
            let id = try ReferenceJSONParser.parse(resource).member("id").flatMap { ReferenceIdentity.id(from: $0) }
            return ReferenceKey(library: library, type: type.bytes, id: id ?? [])
        case .patch(let type, let id, _, _), .keyedPut(let type, let id, _), .merge(let type, let id, _),
            .delete(let type, let id), .removeField(let type, let id, _):
            return ReferenceKey(library: library, type: type.bytes, id: id.bytes)
        case .remove: preconditionFailure("a layer forgets nothing")
        }
    }

    static func key(_ key: ReferenceKey) -> EntityKey {
        EntityKey(library: ByteString(key.library), type: ByteString(key.type), id: ByteString(key.id))
    }

    func seen(_ list: ReferenceList?) -> FoldingSink.Seen {
        FoldingSink.Seen(list: list?.resources ?? [], isStale: list?.isStale ?? true)
    }

    func describe(_ seen: FoldingSink.Seen) -> String {
        "\(seen.list.map { text($0) }) stale \(seen.isStale)"
    }

    func describe(_ list: ReferenceList?) -> String {
        guard let list else { return "nothing" }
        return "\(list.resources.map { text($0) }) stale \(list.isStale) partial \(list.isPartial) as of "
            + "\(list.asOf.map { "\($0)" } ?? "-") pending \(list.isPending)"
    }

    func text(_ bytes: [UInt8]?) -> String { bytes.map { String(decoding: $0, as: UTF8.self) } ?? "nothing" }
}

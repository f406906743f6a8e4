import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// A cache whose host edits, with short helpers; everything is of type `file` in library `a`.
struct OptimisticFixture {
    let fixture: QueryFixture
    let sink = FoldingSink(keepsTraces: true)

    static func open(
        _ journal: any Journal = MemoryJournal(), _ configure: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> OptimisticFixture {
        OptimisticFixture(fixture: try await QueryFixture.open(journal, configure))
    }

    private func perform(_ operation: CacheOperation) async throws -> CacheOutcome {
        var replies: [ReferenceQueryName: Reply] = [:]
        return try await fixture.perform(operation, &replies)
    }

    // MARK: The host

    /// Adds a layer over the existing state.
    @discardableResult
    func lay(
        _ pendingID: String, _ steps: CacheStep..., dependsOn: [String] = [], library: String = "a"
    ) async throws -> CacheOutcome {
        try await perform(.update(CacheLayer(pendingID, library: library, steps, dependsOn: dependsOn)))
    }

    @discardableResult
    func commit(
        _ pendingID: String, confirmed: [String]? = nil, type: String? = nil, sequence: Int64? = nil,
        realIDs: [String: String] = [:], library: String? = nil
    ) async throws -> CacheOutcome {
        try await perform(
            .commit(
                CacheCommit(
                    pendingID, library: library, confirmed: confirmed, type: type, sequence: sequence,
                    realIDs: realIDs)))
    }

    @discardableResult
    func rollBack(_ pendingID: String, library: String? = nil) async throws -> CacheOutcome {
        try await perform(.rollBack(pendingID: pendingID, library: library))
    }

    // MARK: The server

    func change(_ sequence: Int64?, _ resources: String..., mutation: String? = nil) async throws {
        let event = CacheEvent.change(
            library: "a", type: "file", resources: resources, sequence: sequence, merges: false, isIndex: false)
        try await feed(event.line(mutationID: mutation))
    }

    func delete(_ sequence: Int64?, _ id: String, mutation: String? = nil) async throws {
        try await feed(
            CacheEvent.delete(library: "a", type: "file", id: id, sequence: sequence).line(mutationID: mutation))
    }

    func feed(_ lines: String...) async throws { try await fixture.input.feed(lines) }

    func put(
        _ resources: [String], _ input: String = "{}", rule: String? = nil,
        _ change: (inout QueryResult) -> Void = { _ in }
    ) async throws {
        try await fixture.put(resources, input) {
            $0.membership = rule.map { Array(#"{"resource_type":"file"\#($0)}"#.utf8) }
            change(&$0)
        }
    }

    // MARK: The visible state

    /// Returns the visible state of an entity; nil when there is none.
    func shows(_ id: String) async throws -> String? {
        try await read(id).entity.map { String(decoding: $0, as: UTF8.self) }
    }

    func read(_ id: String) async throws -> EntityRead {
        try await fixture.cache.read(Lines.key(id), fields: nil)
    }

    /// Returns the ids of a list, with `*` after pending ones and `!` before all when the list is stale; nil for a
    /// miss.
    func list(_ input: String = "{}") async throws -> String? {
        guard case .success(let reply) = try await fixture.read(input, .cacheOnly, { $0.allowsStale = true }) else {
            return nil
        }
        var words: [String] = reply.answer.isStale ? ["!"] : []
        for key in reply.answer.keys {
            let isPending = try await fixture.cache.read(key, fields: nil).isPending
            words.append("\(key.id)\(isPending ? "*" : "")")
        }
        return words.joined(separator: " ")
    }

    func isPending(_ input: String = "{}") async throws -> Bool {
        try await fixture.read(input, .cacheOnly, { $0.allowsStale = true }).get().answer.isPending
    }

    /// Returns the layers as `id state`.
    func layers() async -> [String] {
        await fixture.cache.pendingLayers().map { "\($0.pendingID) \($0.state.rawValue)" }
    }

    // MARK: Observers

    func observe(_ input: String = "{}") async throws -> SubscriptionID {
        let reply = try await fixture.begin(input, .cacheOnly, sink: sink) { $0.allowsStale = true }
        #expect(await eventually { reply.isThere })
        return try #require(reply.subscription)
    }

    /// Returns every list that an observer saw, one line each; `!` comes before stale ones.
    func trace(_ subscription: SubscriptionID) -> [String] {
        #expect(sink.problems == [])
        return (sink.observer(subscription)?.trace ?? []).map { seen in
            (seen.isStale ? "! " : "") + seen.list.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        }
    }

    func watch(_ id: String) async throws -> SubscriptionID {
        let reply = WatchReply()
        await fixture.cache.observe(Lines.key(id), fields: nil, sink: sink) { reply.take($0) }
        return try #require(try reply.subscription())
    }

    /// Returns every value that the observer of an entity was notified of.
    func told(_ subscription: SubscriptionID) -> [String?] {
        sink.entities.filter { $0.subscription == subscription }
            .map { $0.entity.map { String(decoding: $0, as: UTF8.self) } }
    }
}

extension CacheStep {
    static func patch(_ id: String, _ fields: String, unset: [String] = []) -> CacheStep {
        .patch(type: "file", id: id, fields: fields, unset: unset)
    }

    static func put(_ resource: String) -> CacheStep { .put(type: "file", resource: resource) }

    static func delete(_ id: String) -> CacheStep { .delete(type: "file", id: id) }
}

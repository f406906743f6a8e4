import Tidemark
import TidemarkModel
import TidemarkScopes
import TidemarkViews

/// The scopes of a cache, for those who are not on its actor.
///
/// - Source: Protocol/scopes.md.
package struct ScopeService: Sendable {
    private let cache: SyncCache
    private let serving: ScopeServingLimits

    /// Serves the scopes of a file from a cache.
    ///
    /// - Throws: ``CacheError`` `storageFailed`, or `limitExceeded` if the rules name too many types.
    package init(
        _ cache: SyncCache, _ file: ScopeFile, limits: ScopeLimits = ScopeLimits(),
        serving: ScopeServingLimits = ScopeServingLimits()
    ) async throws(CacheError) {
        self.cache = cache
        self.serving = serving
        try await ScopeEngine.attach(to: cache, file, limits: limits, serving: serving)
    }

    /// The time, in milliseconds.
    package var now: Int64 { get async { await cache.now } }

    /// Returns true if the file has a scope.
    package func hasScope(_ name: ByteString) async -> Bool {
        await cache.withWing(ScopeEngine.self) { engine, _ in engine.file.scopes[name] != nil }
    }

    // MARK: Streams

    /// Begins a stream.
    ///
    /// - Parameters:
    ///   - resumption: Where the client goes on; nil for a state.
    ///   - expiry: When the stream ends, in milliseconds.
    /// - Throws: ``ScopeRefusal``.
    package func open(
        _ request: ScopeRequest, _ resumption: ScopeReader.Resumption?, expiry: Int64
    ) async throws(ScopeRefusal) -> ScopeStream {
        try await cache.withWing(ScopeEngine.self) { (engine, cache) throws(ScopeRefusal) in
            try await engine.open(request, resumption, expiry: expiry, in: cache)
        }
    }

    /// Returns normally if a request would be served.
    ///
    /// - Throws: ``ScopeRefusal``.
    package func check(_ request: ScopeRequest) async throws(ScopeRefusal) {
        try await cache.withWing(ScopeEngine.self) { (engine, cache) throws(ScopeRefusal) in
            engine.finish(try await engine.begin(request, in: cache), in: cache)
        }
    }

    /// Writes on, because a stream has room again.
    package func resume(_ stream: ScopeStream) async {
        await cache.withWing(ScopeEngine.self) { engine, cache in
            if let served = engine.streams[stream.id] { engine.pump(served, in: cache) }
        }
    }

    /// Forgets a stream whose connection has ended.
    package func close(_ stream: ScopeStream) async {
        await cache.withWing(ScopeEngine.self) { engine, cache in engine.close(stream: stream.id, in: cache) }
    }

    /// Ends a stream at once. Nothing leaves the client.
    package func end(stream id: Int, _ bye: ScopeBye) async {
        await cache.withWing(ScopeEngine.self) { engine, cache in engine.end(stream: id, bye, in: cache) }
    }

    /// Ends every stream, because the server stops.
    package func endAll() async {
        await cache.withWing(ScopeEngine.self) { engine, cache in engine.endAll(.shuttingDown, in: cache) }
    }

    /// Returns the lines behind a number, all of which are on the disk.
    ///
    /// - Throws: ``ScopeRefusal``; `.epochOver` if they cannot be told in that epoch.
    package func lines(
        _ request: ScopeRequest, since resumption: ScopeReader.Resumption
    ) async throws(ScopeRefusal) -> [ScopeLine] {
        try await cache.withWing(ScopeEngine.self) { (engine, cache) throws(ScopeRefusal) in
            try await engine.lines(request, since: resumption, in: cache)
        }
    }

    /// Hands an edit on, unless that was done before.
    ///
    /// - Parameters:
    ///   - pendingID: The client's id of the edit.
    ///   - digest: A digest of the whole request.
    ///   - changes: The operations of the edit as a JSON array.
    ///   - send: Hands it on; called at most once.
    /// - Throws: ``ScopeRefusal``.
    package func edit(
        _ request: ScopeRequest, pendingID: ByteString, digest: ByteString, changes: [UInt8],
        send: @escaping @Sendable () async -> EditOutcome
    ) async throws(ScopeRefusal) -> EditAnswer {
        try await cache.withWing(ScopeEngine.self) { (engine, cache) throws(ScopeRefusal) in
            try await engine.edit(
                request, pendingID: pendingID, digest: digest, changes: changes, send: send, in: cache)
        }
    }

    // MARK: Operating

    /// Replaces the file, see ``ScopeEngine``.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` if its rules name too many types; the former file then stays.
    package func replace(_ file: ScopeFile) async throws(CacheError) {
        try await cache.withWing(ScopeEngine.self) { (engine, cache) throws(CacheError) in
            try engine.replace(file, in: cache)
        }
    }

    /// Ends what is over and writes heartbeats, until the task is cancelled.
    package func keepTime() async {
        var beat = await cache.now + serving.heartbeatMillisecondCount
        while !Task.isCancelled {
            do throws(CancellationError) { try await cache.pause(milliseconds: 1_000) } catch { return }
            let isDue = await cache.now >= beat
            if isDue { beat = await cache.now + serving.heartbeatMillisecondCount }
            await cache.withWing(ScopeEngine.self) { engine, cache in
                engine.checkTimes(in: cache)
                if isDue { engine.beat(in: cache) }
            }
        }
    }

    /// The scopes of the file in use, by name.
    package func explainers() async -> [(name: ByteString, explainer: ScopeExplainer)] {
        await cache.withWing(ScopeEngine.self) { engine, cache in engine.explainers(in: cache) }
    }

    /// Explains why a client sees an entity or not, from the server's data without pending edits. The evaluation does
    /// not hold up the cache.
    ///
    /// - Parameters:
    ///   - claims: The claims of a token: one JSON object.
    ///   - address: The parameters of the address.
    /// - Throws: ``CacheError`` `storageFailed`, or `limitExceeded` if the rules read too many entities.
    package func explain(
        _ explainer: ScopeExplainer, _ key: ViewKey, claims: [UInt8], address: [(name: ByteString, value: ByteString)]
    ) async throws(CacheError) -> ScopeExplanation {
        let entities = try await cache.withWing(ScopeEngine.self) { (engine, cache) throws(CacheError) in
            try await engine.copy(for: explainer, in: cache)
        }
        return explainer.explain(key, claims: claims, address: address, entities)
    }

    /// What was served by name of scope.
    package func tallies() async -> [ByteString: ScopeTally] {
        await cache.withWing(ScopeEngine.self) { engine, _ in engine.currentTallies }
    }
}

import Tidemark
import TidemarkJSON
import TidemarkModel

/// Requests of programs that wait for the answer, such as commands.
extension ViewEngine {
    /// Reads a view, and returns its result once it is true.
    ///
    /// - Parameter cache: A cache with views, see ``attach(to:limits:)``.
    /// - Throws: ``CacheError``, such as `notFound`.
    package static func read(_ request: ViewRequest, in cache: SyncCache) async throws(CacheError) -> ViewReply {
        let (replies, reply) = AsyncStream.makeStream(of: Result<ViewReply, CacheError>.self)
        await cache.withWing(ViewEngine.self) { engine, cache in
            await engine.read(request, in: cache) { reply.yield($0) }
        }
        return try await first(of: replies)
    }

    /// Observes a view, and returns its result. Notifications may arrive before this returns.
    ///
    /// - Parameters:
    ///   - sink: Receives the notifications; the cache holds it until it is detached.
    ///   - cache: A cache with views, see ``attach(to:limits:)``.
    /// - Throws: ``CacheError``, such as `notFound`.
    package static func observe(
        _ request: ViewRequest, sink: any ObserverSink, in cache: SyncCache
    ) async throws(CacheError) -> ViewReply {
        let (replies, reply) = AsyncStream.makeStream(of: Result<ViewReply, CacheError>.self)
        await cache.withWing(ViewEngine.self) { engine, cache in
            await engine.observe(request, sink: sink, in: cache) { reply.yield($0) }
        }
        return try await first(of: replies)
    }

    private static func first(
        of replies: AsyncStream<Result<ViewReply, CacheError>>
    ) async throws(CacheError) -> ViewReply {
        for await reply in replies { return try reply.get() }
        throw CacheError(.storageFailed, "the cache was closed before the view was computed")
    }
}

extension ViewReply {
    /// The result as `view.read` and `view.observe` answer it.
    package var json: [UInt8] {
        var line = JSONLine()
        line.object { $0.members(of: self) }
        return line.bytes
    }
}

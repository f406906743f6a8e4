import Synchronization
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkWire

/// One connection of a feed: asks for the stream, applies its lines, and says how it ended.
struct ScopeConnection {
    /// How a connection ended, and so what the feed does next.
    enum End: Sendable {
        /// The token is over, and another one is there: connect at once.
        case tokenEnded
        /// The token does not allow the scope; what it showed is gone.
        case forbidden
        /// The server has no such scope.
        case notFound
        /// Anything else: connect after a pause, which lasts at least so many milliseconds.
        case cut(reason: String, least: Int64 = 0)
    }

    /// How long nothing may arrive: 45 s, three times the pause between heartbeats.
    static let silenceMax: Int64 = 45_000
    /// How long one stream lasts at most: a day. Then the feed connects again.
    private static let streamTimeout = Duration.seconds(86_400)

    let feed: ScopeFeed
    private let batchCount = Shared()

    /// The number of applied batches, which the reader and the watch of silence share.
    private final class Shared: Sendable {
        let value = Atomic<Int>(0)
    }

    init(feed: ScopeFeed) { self.feed = feed }

    /// Follows the stream to its end.
    ///
    /// - Returns: How it ended, and whether any line came.
    /// - Throws: ``/Tidemark/StorageError`` when the cache cannot read its data.
    func follow() async throws(StorageError) -> (end: End, hasLines: Bool) {
        let result = await withTaskGroup(of: Result<End, StorageError>.self) { group in
            group.addTask {
                do throws(StorageError) {
                    return .success(try await read())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { .success(await silence()) }
            let first = await group.next() ?? .success(.cut(reason: "no connection"))
            group.cancelAll()
            // The reader has applied everything that it read before the feed goes on.
            for await _ in group {}
            return first
        }
        return (try result.get(), batchCount.value.load(ordering: .relaxed) > 0)
    }

    /// Returns when nothing has arrived for too long.
    private func silence() async -> End {
        var seen = -1
        while true {
            let count = batchCount.value.load(ordering: .relaxed)
            if count == seen { return .cut(reason: "nothing arrived for \(ScopeConnection.silenceMax) ms") }
            seen = count
            do throws(CancellationError) {
                try await feed.clock.sleep(milliseconds: ScopeConnection.silenceMax)
            } catch {
                return .cut(reason: "stopped")
            }
        }
    }

    private func read() async throws(StorageError) -> End {
        let known = try await feed.memory.read()
        let token: String
        let answer: HTTPExchangeResponse
        do throws(UpstreamError) {
            token = try await current()
            answer = try await ask(token, known)
        } catch {
            return .cut(reason: error.message)
        }
        guard answer.head.status == 200 else {
            answer.body.cancel()
            return try await refused(answer.head, token, known)
        }
        let (input, _) = await feed.cache.openInput(hasUnread: { false })
        let (end, library) = try await apply(answer.body, input, token, known)
        await feed.cache.closeInput(input)
        // The next stream numbers the lines of a unit that was cut anew.
        if let library { await feed.cache.dropWaiting(in: library) }
        return end
    }

    private func current(insteadOf refused: String? = nil) async throws(UpstreamError) -> String {
        do {
            return try await feed.requests.token.value(insteadOf: refused)
        } catch {
            throw UpstreamError("no token: \(error)")
        }
    }

    private func ask(_ token: String, _ library: ByteString?) async throws(UpstreamError) -> HTTPExchangeResponse {
        var place: [(String, String)] = []
        if let library, let found = await feed.cache.resumption(of: library) {
            place = [("after", "\(found.cursor.rawValue)"), ("epoch", found.epoch.description)]
        }
        var fields = HeaderFields()
        fields.append("Authorization", "Bearer \(token)")
        fields.append("Accept", "application/x-ndjson")
        let exchange = HTTPExchange(
            method: "GET", url: try feed.requests.address.request("", place), fields: fields,
            timeout: feed.requests.timeout, streamTimeout: ScopeConnection.streamTimeout)
        do throws(ExchangeError) {
            return try await feed.requests.transport.exchange(exchange)
        } catch {
            throw UpstreamError(error.message)
        }
    }

    /// Handles an answer that is no stream.
    private func refused(
        _ head: ResponseHead, _ token: String, _ library: ByteString?
    ) async throws(StorageError) -> End {
        switch head.status {
        case 401: return await renewed(token, "the token was refused")
        case 403:
            if let library { try await feed.memory.drop(library) }
            return .forbidden
        case 404: return .notFound
        default:
            let seconds = head.fields.first("retry-after").flatMap { Int64($0.description) } ?? 0
            return .cut(reason: "status \(head.status)", least: min(max(0, seconds), 3_600) * 1_000)
        }
    }

    /// Returns whether another token is there than one that is over. A token that stays the same is asked for again
    /// after a pause.
    private func renewed(_ token: String, _ reason: String) async -> End {
        do throws(UpstreamError) {
            return try await current(insteadOf: token) == token ? .cut(reason: reason) : .tokenEnded
        } catch {
            return .cut(reason: error.message)
        }
    }

    private func apply(
        _ body: HTTPBody, _ input: InputID, _ token: String, _ known: ByteString?
    ) async throws(StorageError) -> (End, library: ByteString?) {
        var library: ByteString?
        do {
            var lines = try ScopeInput(input: input, limits: feed.cache.configuration.limits)
            while true {
                let chunk: [UInt8]
                do throws(ExchangeError) {
                    guard let next = try await body.next() else { return (.cut(reason: "the stream ended"), library) }
                    chunk = next
                } catch {
                    return (.cut(reason: error.message), library)
                }
                for batch in try lines.append(chunk) {
                    let finding = lines.finding(in: batch, of: library)
                    guard !finding.isForeign, finding.library.map(ScopeConnection.isUsable) ?? true else {
                        body.cancel()
                        return (.cut(reason: "a line is not about the scope's library"), library)
                    }
                    if let found = finding.library, library == nil {
                        library = found
                        try await began(found, known)
                    }
                    try await feed.cache.ingest(batch)
                    batchCount.value.add(1, ordering: .relaxed)
                    if let reason = finding.bye {
                        body.cancel()
                        return (try await ended(reason, token, library ?? known), library)
                    }
                }
                if let library, await !feed.cache.status(of: library).lost.isEmpty {
                    body.cancel()
                    return (.cut(reason: "lines were lost"), library)
                }
            }
        } catch let error as StorageError {
            throw error
        } catch {
            body.cancel()
            return (.cut(reason: "no memory for lines"), library)
        }
    }

    /// True for an id that a server may give its scope: the default library and the feed's own are not its to write.
    private static func isUsable(_ library: ByteString) -> Bool {
        !library.bytes.isEmpty && library != ScopeMemory.library
    }

    /// Handles the first line of a stream. A library other than the last one is that of another subject, whose data
    /// goes.
    private func began(_ library: ByteString, _ known: ByteString?) async throws(StorageError) {
        if library != known {
            if let known {
                feed.upstream?.endServing(known)
                try await feed.memory.drop(known)
            }
            try await feed.memory.write(library)
        }
        feed.serve(library)
        feed.onStatus(.following(library: library))
    }

    /// Handles the last line of a stream. What has to leave left with the lines before it.
    private func ended(
        _ reason: String, _ token: String, _ library: ByteString?
    ) async throws(StorageError) -> End {
        switch reason {
        case "forbidden": return .forbidden
        case "not_found": return .notFound
        case "token_expired", "token_revoked": return await renewed(token, reason)
        default: return .cut(reason: reason)
        }
    }
}

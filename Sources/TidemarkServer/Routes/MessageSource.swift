import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkSession
import TidemarkStore

/// Performs JSON-RPC messages, either on a cache that this process writes or on another writer's data file.
protocol MessageSource: Sendable {
    /// Performs a message or a batch.
    ///
    /// - Parameter stream: The name of the stream to notify of observed changes; nil for none.
    /// - Returns: The response as a line; nil when there is none.
    func answer(to text: [UInt8], stream: String?) async -> [UInt8]?

    /// The text of `/metrics`.
    func metrics() async -> MetricsText

    /// The current storage error; nil while storage works.
    func storageError() async -> StorageError?

    /// Writes all acknowledged changes to the data file, so that an export includes them.
    func prepareExport() async throws(StorageError)
}

/// A cache that this server writes, with the sessions that serve it.
final class LiveCache: MessageSource {
    let cache: SyncCache
    let hub: StreamHub
    private let silent: Session
    private let unknown: Session
    /// The session for late answers, the results of edits that waited in the outbox. Every stream gets them.
    private let common: Session

    init(_ cache: SyncCache, configuration: CacheServerConfiguration, settings: Session.Settings) {
        self.cache = cache
        let waiting = WaitingRequests()
        hub = StreamHub(cache, limits: configuration.limits, clock: configuration.clock) { stream in
            Session(of: cache, output: stream, waiting: waiting, settings: settings)
        }
        silent = Session(
            of: cache,
            output: NoOutput("send the field Tidemark-Stream: the stream that GET /stream named hears of changes"),
            waiting: waiting, settings: settings)
        unknown = Session(
            of: cache,
            output: NoOutput(
                "the stream of the field Tidemark-Stream is not there any more: begin one with GET /stream"),
            waiting: waiting, settings: settings)
        common = Session(of: cache, output: EveryStream(hub), waiting: waiting, settings: settings)
    }

    /// Starts the notifications that every stream gets, and the outbox, if there is a server to send its requests to.
    func begin() async { await hub.begin(await common.mutationUpstream()) }

    func answer(to text: [UInt8], stream: String?) async -> [UInt8]? {
        guard let stream else { return await silent.answer(to: text) }
        guard let found = hub.session(of: stream) else { return await unknown.answer(to: text) }
        let answer = await found.session.answer(to: text)
        // The stream must hold everything that the request caused before its answer is written.
        found.stream.appendKept()
        return answer
    }

    func storageError() async -> StorageError? { await cache.storageError }

    func prepareExport() async throws(StorageError) { try await cache.flush() }
}

/// The output of requests without a stream: it observes nothing, and drops late answers.
final class NoOutput: SessionOutput {
    private let advice: String

    init(_ advice: String) {
        self.advice = advice
    }

    var observerRefusal: CacheError? { CacheError(.invalidParams, advice) }
    var answerByteCountMax: Int { 16 << 20 }

    func waitForRoom() async {}
    func append(answer line: [UInt8]) {}
    func offer(_ notification: CacheNotification) -> Bool { true }
    func deliver(_ notification: CacheNotification) {}
}

/// The output that writes to every stream. An edit outlives the stream that requested it, and restarts of the server,
/// so every stream gets its result.
final class EveryStream: SessionOutput {
    private let hub: StreamHub

    init(_ hub: StreamHub) {
        self.hub = hub
    }

    var observerRefusal: CacheError? { CacheError(.invalidParams, "this output observes nothing") }
    var answerByteCountMax: Int { 16 << 20 }

    func waitForRoom() async {}
    func append(answer line: [UInt8]) { hub.tellAll(result: line) }
    func offer(_ notification: CacheNotification) -> Bool { true }
    func deliver(_ notification: CacheNotification) {}
}

/// The result or error in one JSON-RPC response.
enum MessageAnswer {
    case result(JSONSlice)
    /// The error of a failed request.
    ///
    /// - Parameter code: The `data.code`; empty for errors that JSON-RPC itself defines.
    case error(code: String)

    /// Splits a response into its result or its error.
    ///
    /// - Parameter line: The response to one request.
    init(_ line: [UInt8]) {
        let members = JSONSlice(compact: line.dropLast()).members ?? [:]
        if let result = members[Array("result".utf8)] {
            self = .result(result)
        } else {
            let error = members[Array("error".utf8)]?.members ?? [:]
            let data = error[Array("data".utf8)]?.members ?? [:]
            self = .error(code: data[Array("code".utf8)]?.text.map { String(decoding: $0, as: UTF8.self) } ?? "")
        }
    }
}

import Tidemark
import TidemarkModel
import TidemarkSession
import TidemarkStore

/// The performer of JSON-RPC messages: a cache that is written here, or the data file of one that is written elsewhere.
protocol MessageSource: Sendable {
    /// Performs a message or a batch.
    ///
    /// - Parameter stream: The name of the stream that is notified of observed changes.
    /// - Returns: The answer as a line; nil when nothing is answered.
    func answer(to text: [UInt8], stream: String?) async -> [UInt8]?

    /// The numbers of `/metrics`.
    func metrics() async -> MetricsText

    /// The error of the storage; nil while it works.
    func storageError() async -> StorageError?

    /// Makes everything that was acknowledged visible in the data file.
    func prepareExport() async throws(StorageError)
}

/// A cache that this server writes, and the sessions that serve it.
final class LiveCache: MessageSource {
    let cache: SyncCache
    let hub: StreamHub
    private let silent: Session
    private let unknown: Session
    /// The session whose late answers concern everybody: those to edits that waited for their server.
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

    /// Begins to notify every stream of what concerns all, and to send the requests of pending edits where a server
    /// takes them.
    func begin() async { await hub.begin(await common.mutationUpstream()) }

    func answer(to text: [UInt8], stream: String?) async -> [UInt8]? {
        guard let stream else { return await silent.answer(to: text) }
        guard let found = hub.session(of: stream) else { return await unknown.answer(to: text) }
        let answer = await found.session.answer(to: text)
        // The stream has everything that the request caused before the answer is written.
        found.stream.appendKept()
        return answer
    }

    func storageError() async -> StorageError? { await cache.storageError }

    func prepareExport() async throws(StorageError) { try await cache.flush() }
}

/// The output of requests that name no stream: nothing of theirs is observed, and late answers have no reader.
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

/// The output for what concerns every stream. An edit outlives the stream that asked for it, and a restart of the
/// server: its result goes to all.
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

/// The parts of one answer of JSON-RPC.
enum MessageAnswer {
    case result(JSONSlice)
    /// - Parameter code: The `data.code`; empty for errors that JSON-RPC itself defines.
    case error(code: String)

    /// - Parameter line: An answer to one request.
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

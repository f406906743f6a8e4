import GRDBSQLite
import Synchronization
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTesting

/// A server in memory: a test says what it answers, and reads what it was asked.
final class ScriptedServer: HTTPTransport {
    struct Answer: Sendable {
        var status = 200
        var fields: [(String, String)] = []
        var body = ""
    }

    private struct State {
        var answer: @Sendable (HTTPExchange) -> Result<Answer, ExchangeError> = { _ in .success(Answer()) }
        var asked: [HTTPExchange] = []
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var asked: [HTTPExchange] { state.withLock { $0.asked } }

    func answers(_ body: @escaping @Sendable (HTTPExchange) -> Result<Answer, ExchangeError>) {
        state.withLock { $0.answer = body }
    }

    /// Answers every request the same, but for validators that match with a 304.
    func answers(_ status: Int = 200, _ fields: [(String, String)] = [], _ body: String = "") {
        answers { exchange in
            let tag = fields.first { $0.0 == "ETag" }?.1
            if let tag, exchange.fields.first("if-none-match") == ByteString(tag) {
                return .success(Answer(status: 304, fields: fields, body: ""))
            }
            return .success(Answer(status: status, fields: fields, body: body))
        }
    }

    func fails(_ code: ExchangeCode) { answers { _ in .failure(ExchangeError(code, "as the test says")) } }

    /// Holds every exchange until ``release()``.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let held = state.withLock { state in
            state.isHeld = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Returns when so many requests have come.
    func waitUntilAsked(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.asked.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
        let watchers = state.withLock { state in
            state.asked.append(exchange)
            let due = state.watchers.filter { $0.count <= state.asked.count }
            state.watchers.removeAll { $0.count <= state.asked.count }
            return due
        }
        for watcher in watchers { watcher.continuation.resume() }
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if !state.isHeld { return true }
                state.held.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
        let answer = try state.withLock { $0.answer }(exchange).get()
        let fields = HeaderFields(answer.fields.map { .init(ByteString($0.0), ByteString($0.1)) })
        return HTTPExchangeResponse(
            head: ResponseHead(status: answer.status, fields: fields), body: HTTPBody(Array(answer.body.utf8)))
    }
}

/// A client over a real data file, a scripted server and a clock that a test moves.
final class HTTPFixture {
    let folder: TemporaryFolder
    let server = ScriptedServer()
    let clock = ManualClock(skipsUpTo: 100)
    var journal: SQLiteJournal
    var cache: SyncCache
    var client: HTTPClient

    var path: String { folder.path + "/cache.db" }

    private let transport: (any HTTPTransport)?
    private let timer: any CacheClock

    /// - Parameters:
    ///   - transport: The server; nil: the scripted one.
    ///   - timer: The clock of the time that each request has.
    init(transport: (any HTTPTransport)? = nil, timer: any CacheClock = SystemClock()) async throws {
        self.transport = transport
        self.timer = timer
        folder = try TemporaryFolder()
        journal = try await SQLiteJournal.open(path: folder.path + "/cache.db")
        cache = try await SyncCache.open(journal: journal, clock: clock)
        client = HTTPClient(cache, transport: transport ?? server, defaults: HTTPClientDefaults(), timer: timer)
    }

    func reopen() async throws {
        try await close()
        journal = try await SQLiteJournal.open(path: path)
        cache = try await SyncCache.open(journal: journal, clock: clock)
        client = HTTPClient(cache, transport: transport ?? server, defaults: HTTPClientDefaults(), timer: timer)
    }

    func close() async throws {
        await client.close()
        try await cache.close()
    }

    /// Changes the file behind the engine's back.
    func sqlite(_ statements: String...) throws {
        var connection: OpaquePointer?
        guard sqlite3_open(path, &connection) == SQLITE_OK else { throw SQLiteFault(text: path) }
        defer { sqlite3_close(connection) }
        for statement in statements {
            guard sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK else {
                throw SQLiteFault(text: "\(statement): \(String(cString: sqlite3_errmsg(connection)))")
            }
        }
    }

    struct SQLiteFault: Error { var text: String }

    func pass(_ seconds: Int64) { clock.advance(milliseconds: seconds * 1_000) }

    func request(
        _ url: String = "http://a.test/x", _ rules: CacheRules = .options(.etag, timeout: nil), method: String = "GET",
        fields: [(String, String)] = [], storage: HTTPStorage = .permanent, normalize: String? = nil, body: String = ""
    ) throws -> HTTPFetch {
        var fetch = HTTPFetch(
            library: "",
            request: RequestHead(
                method: ByteString(method), url: try HTTPURL(ByteString(url)),
                fields: HeaderFields(fields.map { .init(ByteString($0.0), ByteString($0.1)) })), rules: rules,
            storage: storage, timeout: .seconds(30))
        fetch.body = Array(body.utf8)
        if let normalize { fetch.normalization = try HTTPNormalization(spec: Array(normalize.utf8), limits: Limits()) }
        return fetch
    }

    func fetch(
        _ url: String = "http://a.test/x", _ rules: CacheRules = .options(.etag, timeout: nil), method: String = "GET",
        fields: [(String, String)] = [], storage: HTTPStorage = .permanent, normalize: String? = nil, body: String = ""
    ) async throws -> HTTPFetched {
        try await client.fetch(
            try request(
                url, rules, method: method, fields: fields, storage: storage, normalize: normalize, body: body))
    }

    /// Gives the cache an event of its log.
    func ingest(_ sequence: Int, _ event: String) async throws {
        try await cache.ingest(Array(#"{"sequence":\#(sequence),"event":\#(event)}"#.utf8) + [0x0A])
    }

    func entity(_ id: String) async throws -> EntityRead {
        try await cache.read(EntityRequest(EntityKey(library: "", type: "file", id: ByteString(id))))
    }
}

extension HTTPFetched {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension CacheRules {
    static func only(_ options: CacheOptions, timeout: Int64? = nil) -> CacheRules {
        .options(options, timeout: timeout)
    }
}

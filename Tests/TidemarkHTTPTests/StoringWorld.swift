import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkHTTP

/// A response, what was stored before it, and a disk whose answers and failures are chosen in advance: by a seed, or by
/// a test. Whoever makes the same calls in the same order gets the same answers.
struct StoringWorld {
    /// Something that was done to the world, with everything that matters of it.
    enum Call: Hashable {
        case look(ByteString)
        case read(Int64)
        case write(HTTPTransaction)
        case accept([ByteString])
        case noteConfirmation(Int64)
        case changed
    }

    static let salt: [UInt8] = [7]
    static let list = #"{"resource_type":"file"}"#
    static let data = #"{"resource_type":"file","pointer":"/data"}"#

    var completed: CompletedExchange
    var question: HTTPClient.Question
    var lookup: HTTPResponseStore.Lookup?
    var begun: FetchBeginning?
    var changes: [HTTPChange] = []
    var settings = StoringState.Settings(defaults: HTTPClientDefaults(), limits: Limits())
    /// The body of the stored response; nil if it is damaged.
    var storedBody: [UInt8]?
    /// What later lookups find.
    var later: HTTPResponseStore.Lookup
    /// The numbers of the calls that fail.
    var failing: Set<Int> = []
    /// The number of calls after which the request is outdated, and after which another file is open.
    var outdatedAfter = Int.max
    var reopenedAfter = Int.max

    private(set) var calls: [Call] = []
    /// The number of calls that wait.
    private var count = 0

    var facts: StoringState.Facts {
        var isDraftCurrent = true
        if case .draft = completed.content { isDraftCurrent = count < reopenedAfter }
        return .init(mayStore: count < outdatedAfter, isDraftCurrent: isDraftCurrent)
    }

    mutating func note(_ call: Call) { calls.append(call) }

    private mutating func wait(_ call: Call) throws(CacheError) {
        calls.append(call)
        count += 1
        if failing.contains(count) { throw CacheError(.storageFailed, "call \(count) fails") }
    }

    mutating func look(_ method: ByteString) throws(CacheError) -> HTTPResponseStore.Lookup {
        try wait(.look(method))
        return later
    }

    mutating func read(_ found: HTTPResponseStore.Found) throws(CacheError) -> [UInt8]? {
        try wait(.read(found.record.number))
        return storedBody
    }

    mutating func write(_ transaction: HTTPTransaction) throws(CacheError) -> Int {
        try wait(.write(transaction))
        return 3
    }

    // MARK: Making one

    /// Creates the world of a response to a new request.
    init(
        _ method: ByteString = "GET", status: Int = 200, fields: [(String, String)] = [], content: HTTPContent,
        rules: CacheRules = .options(.etag, timeout: nil), spec: String? = nil, isConditional: Bool = false
    ) throws {
        let url = try HTTPURL("http://a.test/x")
        var fetch = HTTPFetch(
            library: "", request: RequestHead(method: method, url: url, fields: HeaderFields()), rules: rules,
            storage: .permanent, timeout: .seconds(30))
        if let spec { fetch.normalization = try HTTPNormalization(spec: Array(spec.utf8), limits: Limits()) }
        let asked = HTTPAsked(
            library: "", url: url.text, key: fetch.key, isSession: false,
            credentials: Variant.credentials(HeaderFields(), salt: StoringWorld.salt), values: { _ in [] })
        question = HTTPClient.Question(
            fetch: fetch, forward: .uriMiss, salt: StoringWorld.salt, asked: HTTPQuestions().begin(asked))
        let head = ResponseHead(status: status, fields: StoringWorld.fields(fields))
        completed = CompletedExchange(
            outcome: .answered, head: head, content: content, url: url,
            stored: StoredHead(head: head, requestedAt: 90_000, answeredAt: 100_000, byteCount: content.byteCount),
            isConditional: isConditional)
        if spec != nil { begun = FetchBeginning(cursor: EventSequence(5)) }
        later = HTTPResponseStore.Lookup(found: nil, miss: .uriMiss, replaced: [9], all: [9])
    }

    /// Stores a response before the request.
    mutating func store(
        status: Int = 200, fields: [(String, String)], body: [UInt8], spec: String? = nil, asOf: EventSequence? = nil
    ) {
        let head = StoredHead(
            head: ResponseHead(status: status, fields: StoringWorld.fields(fields)), requestedAt: 0, answeredAt: 1_000,
            byteCount: Int64(body.count))
        let answer = StoredResponseHead(
            head: head,
            variant: Variant(HeaderFields(), names: Vary.names(of: head.head.fields), salt: StoringWorld.salt),
            normalized: spec.map { .init(spec: Array($0.utf8), asOf: asOf) }, url: completed.url)
        var record = HTTPRecord(
            library: "", url: completed.url.text, key: "GET", isSession: false, head: answer.bytes,
            byteCount: Int64(body.count), answeredAt: 1_000)
        record.number = 4
        storedBody = body
        lookup = HTTPResponseStore.Lookup(
            found: .init(.init(record, .none)), miss: .uriMiss, replaced: [4], all: [4])
        later.found = lookup?.found
        if spec != nil { begun = FetchBeginning(cursor: EventSequence(5)) }
    }

    static func fields(_ pairs: [(String, String)]) -> HeaderFields {
        HeaderFields(pairs.map { .init(ByteString($0.0), ByteString($0.1)) })
    }
}

extension StoringWorld {
    private static let bodies = [
        #"{"id":"1","n":1}"#, #"[{"id":"1"},{"id":"2"}]"#, #"{"data":[{"id":"3"}]}"#, "no json", "",
    ].map { Array($0.utf8) }

    /// Creates the world of a seed.
    init(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let methods: [ByteString] = ["GET", "GET", "GET", "HEAD", "POST"]
        let statuses = [200, 200, 200, 200, 204, 206, 206, 304, 304, 304, 404, 410, 500, 503]
        let status = statuses[random.below(statuses.count)]
        let isPart = status == 206
        let stored = isPart ? Array("0123".utf8) : StoringWorld.bodies[random.below(StoringWorld.bodies.count)]
        let body =
            isPart
            ? Array((random.chance(900) ? "4567" : "456").utf8)
            : random.chance(400) ? stored : StoringWorld.bodies[random.below(StoringWorld.bodies.count)]
        var content = HTTPContent.bytes(status == 304 ? [] : body)
        if !isPart, status != 304, random.chance(150) {
            content = random.chance(500) ? .passed(9) : .draft(HTTPBodyDraft(number: 8), HTTPLedger().hold(8))
        }
        var fields: [(String, String)] = [("ETag", random.chance(800) ? #""a""# : #""b""#)]
        let more = [("Cache-Control", "no-store"), ("Cache-Control", "max-age=60"), ("Vary", "Accept"), ("Vary", "*")]
        if random.chance(500) { fields.append(more[random.below(more.count)]) }
        if random.chance(300) { fields.append(("Tidemark-Sequence", "\(random.below(12))")) }
        if isPart { fields.append(("Content-Range", random.chance(800) ? "bytes 4-7/8" : "bytes 4-7/10")) }
        let rules: [CacheRules] = [
            .options(.etag, timeout: nil), .standard, .options([], timeout: nil), .options(.staleIfError, timeout: nil),
        ]
        let specs: [String?] = [nil, nil, StoringWorld.list, StoringWorld.data]
        try self.init(
            methods[random.below(methods.count)], status: status, fields: fields, content: content,
            rules: rules[random.below(rules.count)], spec: specs[random.below(specs.count)],
            isConditional: random.chance(800))
        if random.chance(800) {
            var old = [("ETag", #""a""#), ("Cache-Control", random.chance(500) ? "max-age=1" : "no-cache")]
            if isPart { old.append(("Content-Range", "bytes 0-3/8")) }
            store(
                status: isPart ? 206 : random.chance(900) ? 200 : 404, fields: old, body: stored,
                spec: isPart ? nil : specs[random.below(specs.count)],
                asOf: random.chance(700) ? EventSequence(Int64(random.below(12))) : nil)
            if random.chance(150) { storedBody = nil }
            if random.chance(300) { later.found = nil }
        }
        if random.chance(200) { changes = [.removeAll(HTTPSelection(library: "", url: "http://a.test/y", key: nil))] }
        if random.chance(150) {
            settings.isReturned = true
            begun = nil
        }
        if random.chance(200) { settings.defaults.bodyByteCountMax = random.below(20) }
        if random.chance(400) { failing.insert(1 + random.below(4)) }
        if random.chance(200) { failing.insert(1 + random.below(4)) }
        if random.chance(250) { outdatedAfter = random.below(4) }
        if random.chance(250) { reopenedAfter = random.below(4) }
    }
}

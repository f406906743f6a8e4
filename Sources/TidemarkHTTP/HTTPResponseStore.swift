import Tidemark
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// The stored answers of a cache: looking up, choosing among variants, and the changes that store, confirm and remove.
struct HTTPResponseStore: Sendable {
    private let journal: any HTTPJournal

    init(_ cache: SyncCache) { journal = cache.httpJournal }

    /// A stored answer that a request selects, with its row's number.
    struct Found: Sendable {
        var record: HTTPRecord
        var answer: StoredAnswer
    }

    /// The result of looking a request up.
    struct Lookup: Sendable {
        var found: Found?
        /// The reason why nothing was found.
        var miss: CacheStatus.Forward
        /// Every answer that the request selects; a new answer takes the place of all.
        var replaced: [Int64]
        /// Every answer of the URL under the request's key and storage.
        var all: [Int64]
    }

    func salt() async throws(CacheError) -> [UInt8] {
        try await storage { () throws(StorageError) in try await journal.httpSalt() }
    }

    /// - Parameter key: The key of the answers; that of GET for a HEAD that a stored GET may answer.
    func look(
        _ fetch: HTTPFetch, key: ByteString, salt: [UInt8]
    ) async throws(CacheError) -> Lookup {
        let records = try await storage { () throws(StorageError) in
            try await journal.httpAnswers(library: fetch.library, url: fetch.request.url.text)
        }
        let isSession = fetch.storage == .session
        // The answer of another place serves only requests that would have been led there.
        let isLed = fetch.followsRedirects && fetch.rules != .standard
        let ledKey = HTTPFetch.led(key)
        var lookup = Lookup(found: nil, miss: .uriMiss, replaced: [], all: [])
        for record in records
        where (record.key == key || isLed && record.key == ledKey) && record.isSession == isSession {
            lookup.all.append(record.number)
            guard let answer = StoredAnswer(bytes: record.head) else {
                lookup.replaced.append(record.number)
                continue
            }
            guard answer.variant.matches(fetch.request.fields, salt: salt) else {
                lookup.miss = .varyMiss
                continue
            }
            lookup.replaced.append(record.number)
            // The newest counts (RFC 9111, section 4.1).
            if lookup.found.map({ $0.record.answeredAt < record.answeredAt }) ?? true {
                lookup.found = Found(record: record, answer: answer)
            }
        }
        return lookup
    }

    /// Reads the body of a stored answer; nil when it fails its check.
    func body(_ found: Found, usedAt: Int64?) async throws(CacheError) -> [UInt8]? {
        if found.record.byteCount == 0 { return [] }
        return try await storage { () throws(StorageError) in
            try await journal.httpBody(found.record.number, usedAt: usedAt)
        }
    }

    @discardableResult
    func write(_ changes: [HTTPChange]) async throws(CacheError) -> Int {
        guard !changes.isEmpty else { return 0 }
        return try await storage { () throws(StorageError) in try await journal.writeHTTP(changes) }
    }

    func page(
        _ selection: HTTPSelection, after: HTTPPlace?, countMax: Int
    ) async throws(CacheError) -> [HTTPRecord] {
        try await storage { () throws(StorageError) in
            try await journal.httpPage(selection, after: after, countMax: countMax)
        }
    }

    /// Returns the change that stores an answer.
    static func storing(
        _ fetch: HTTPFetch, _ head: StoredHead, body: [UInt8], normalized: StoredAnswer.Normalized?, salt: [UInt8],
        replacing: [Int64], isRedirected: Bool
    ) -> HTTPChange {
        var names: [ByteString] = []
        if case .names(let varied) = Vary(head.head.fields) { names = varied }
        let variant = Variant(fetch.request.fields, names: names, salt: salt)
        var stored = head
        stored.head.fields = StoredHead.storable(head.head.fields)
        let answer = StoredAnswer(head: stored, variant: variant, normalized: normalized)
        let record = HTTPRecord(
            library: fetch.library, url: fetch.request.url.text,
            key: isRedirected ? HTTPFetch.led(fetch.key) : fetch.key,
            isSession: fetch.storage == .session, head: answer.bytes, byteCount: Int64(body.count),
            answeredAt: head.answeredAt)
        return .store(record, body: body, replacing: replacing)
    }

    private func storage<Value: Sendable>(
        _ body: () async throws(StorageError) -> Value
    ) async throws(CacheError) -> Value {
        do throws(StorageError) {
            return try await body()
        } catch {
            throw CacheError(.storageFailed, error.description)
        }
    }
}

import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// Access to the stored responses of a cache: lookups, the choice among variants, and the changes that store, confirm
/// and remove.
struct HTTPResponseStore: Sendable {
    private let journal: any HTTPJournal
    private let recent: RecentResponses?
    /// The requests under way of all clients of the cache.
    let questions: HTTPQuestions
    /// The times whose age is unknown, because the clock was set back after them.
    private let doubts: DoubtfulTimes

    init(_ cache: SyncCache) {
        journal = cache.journal.httpPart
        questions = cache.journal.httpPart.httpLedger?.questions ?? HTTPQuestions()
        doubts = cache.doubtfulTimes
        recent = cache.journal.httpPart.httpLedger.map { RecentResponses($0) }
    }

    /// A stored response that a request selects, with its row.
    struct Found: Sendable {
        var record: HTTPRecord
        var answer: StoredResponseHead
        /// The part of its freshness that depends only on its fields.
        private(set) var basis: FreshnessBasis
        /// The URL that sent the response; nil if it was not recorded.
        let source: HTTPURL?

        init?(_ stored: Stored) {
            guard let answer = stored.answer, let basis = stored.basis else { return nil }
            record = stored.record
            source = stored.source
            self.answer = answer
            self.basis = basis
        }

        /// The validators to send to the URL of the response; nil if there are none.
        var validators: StoredValidators? { source.flatMap { StoredValidators(answer.head, from: $0) } }

        func freshness(at now: Int64) -> Freshness { Freshness(basis, of: answer.head, at: now) }

        /// Updates the head with the fields of a confirmation.
        ///
        /// - Returns: False if no later request may select the response, because of `Vary: *`.
        mutating func confirm(by message: StoredHead, for request: HeaderFields, salt: [UInt8]) -> Bool {
            answer.head = answer.head.confirmed(
                by: message.head, requestedAt: message.requestedAt, answeredAt: message.answeredAt)
            basis = FreshnessBasis(answer.head)
            guard let variant = answer.variant.confirmed(answer.head.head.fields, for: request, salt: salt) else {
                return false
            }
            answer.variant = variant
            return true
        }

        /// Returns the change that records which entities were made of the body.
        func marked(_ normalized: StoredResponseHead.Normalized) -> HTTPChange {
            var marked = answer
            marked.normalized = normalized
            return .update(number: record.number, head: marked.bytes, answeredAt: answer.head.answeredAt)
        }

        /// The response as it is on the disk after the confirmation.
        var stored: Stored {
            var record = record
            record.head = answer.bytes
            record.answeredAt = answer.head.answeredAt
            return Stored(record, answer, basis, source)
        }
    }

    /// The result of looking up a request.
    struct Lookup: Sendable {
        var found: Found?
        /// Why nothing was found.
        var miss: CacheStatus.Forward
        /// The numbers of all responses that the request selects. A new response replaces them all.
        var replaced: [Int64]
        /// The numbers of all responses of the URL under the request's key and storage.
        var all: [Int64]
    }

    func salt() async throws(CacheError) -> [UInt8] {
        try await storage { () throws(StorageError) in try await journal.httpSalt() }
    }

    /// Looks up a request.
    ///
    /// - Parameter key: The key of the responses: the request's own, or that of GET for a HEAD that a stored GET may
    ///   serve.
    func look(
        _ fetch: HTTPFetch, key: ByteString, salt: [UInt8]
    ) async throws(CacheError) -> Lookup {
        choose(try await answers(fetch.library, fetch.request.url.text), fetch, key: key, salt: salt)
    }

    /// Looks up a request among the responses in memory.
    ///
    /// - Returns: nil if the disk must be read.
    func lookInMemory(_ fetch: HTTPFetch, key: ByteString, salt: [UInt8]) -> Lookup? {
        recent?.answers(fetch.library, fetch.request.url.text).map { choose($0, fetch, key: key, salt: salt) }
    }

    /// Returns a body from memory and records the use; nil if the disk must be read.
    func bodyInMemory(_ found: Found, _ fetch: HTTPFetch, usedAt: Int64) -> [UInt8]? {
        recent?.body(found.record.number, fetch.library, fetch.request.url.text, usedAt: usedAt)
    }

    /// Returns all stored responses of a URL, and keeps them in memory.
    private func answers(_ library: ByteString, _ url: ByteString) async throws(CacheError) -> [Stored] {
        if let known = recent?.answers(library, url) { return known }
        let version = recent?.version(library, url)
        let records = try await storage { () throws(StorageError) in
            try await journal.httpAnswers(library: library, url: url)
        }
        let answers = records.map { Stored($0, doubts) }
        if let version { recent?.remember(answers, library, url, version) }
        return answers
    }

    /// A response as it is on the disk. `answer` is nil if its head is damaged.
    struct Stored: Sendable {
        let record: HTTPRecord
        let answer: StoredResponseHead?
        let basis: FreshnessBasis?
        let source: HTTPURL?

        init(_ record: HTTPRecord, _ doubts: DoubtfulTimes) {
            self.record = record
            var answer = StoredResponseHead(bytes: record.head)
            if let answeredAt = answer?.head.answeredAt { answer?.head.isUndated = doubts.includes(answeredAt) }
            self.answer = answer
            basis = answer.map { FreshnessBasis($0.head) }
            source = Stored.source(record, answer)
        }

        init(_ record: HTTPRecord, _ answer: StoredResponseHead, _ basis: FreshnessBasis, _ source: HTTPURL?) {
            self.record = record
            self.answer = answer
            self.basis = basis
            self.source = source
        }

        /// Returns the URL that sent the response; nil for one behind redirects in an older format, which did not
        /// record it.
        private static func source(_ record: HTTPRecord, _ answer: StoredResponseHead?) -> HTTPURL? {
            guard let text = answer?.url ?? (HTTPFetch.isLed(record.key) ? nil : record.url) else { return nil }
            do throws(HTTPURL.Fault) { return try HTTPURL(text) } catch { return nil }
        }
    }

    /// Updates the copy in memory of a response whose confirmation is not written yet, so that the next request need
    /// not read the disk.
    func noteConfirmation(_ found: Found) { recent?.confirmed(found.stored) }

    /// Chooses among the stored responses of a URL.
    private func choose(_ answers: [Stored], _ fetch: HTTPFetch, key: ByteString, salt: [UInt8]) -> Lookup {
        let isSession = fetch.storage == .session
        // A response to which redirects led serves only requests that would follow them.
        let isLed = fetch.followsRedirects && fetch.rules != .standard
        let ledKey = HTTPFetch.led(key)
        var lookup = Lookup(found: nil, miss: .uriMiss, replaced: [], all: [])
        for stored in answers
        where (stored.record.key == key || isLed && stored.record.key == ledKey)
            && stored.record.isSession == isSession
        {
            let record = stored.record
            lookup.all.append(record.number)
            guard let found = Found(stored) else {
                lookup.replaced.append(record.number)
                continue
            }
            guard found.answer.variant.matches(fetch.request.fields, salt: salt) else {
                lookup.miss = .varyMiss
                continue
            }
            lookup.replaced.append(record.number)
            // The newest one is served (RFC 9111, section 4.1).
            if lookup.found.map({ $0.record.answeredAt < record.answeredAt }) ?? true {
                lookup.found = found
            }
        }
        return lookup
    }

    /// Reads the body of a stored response, or a range of it; nil if it is damaged.
    func body(
        _ found: Found, bounds: Range<Int64>? = nil, usedAt: Int64?
    ) async throws(CacheError) -> [UInt8]? {
        let record = found.record
        if let usedAt, bounds == nil,
            let known = recent?.body(record.number, record.library, record.url, usedAt: usedAt)
        {
            return known
        }
        let version = recent?.version(record.library, record.url)
        let body = try await storage { () throws(StorageError) in
            try await journal.httpBody(record.number, bounds: bounds, usedAt: usedAt)
        }
        if let body, bounds == nil, let version {
            recent?.remember(body, of: record.number, record.library, record.url, version)
        }
        return body
    }

    // MARK: Bodies in chunks

    /// Keeps a stored body on the disk while a reader uses it; nil if the body is damaged.
    func hold(_ found: Found, usedAt: Int64?) async throws(CacheError) -> HTTPBodyHold? {
        try await storage { () throws(StorageError) in
            try await journal.holdHTTPBody(found.record.number, usedAt: usedAt)
        }
    }

    func chunk(_ hold: HTTPBodyHold, _ place: Int64) async throws(CacheError) -> [UInt8]? {
        try await storage { () throws(StorageError) in try await journal.httpChunk(hold, place) }
    }

    /// Reads a draft back; nil if a chunk of it is missing.
    func bytes(_ draft: HTTPBodyDraft, _ hold: HTTPBodyHold) async throws(CacheError) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(draft.byteCount))
        for place in 0..<draft.chunkCount {
            guard let chunk = try await chunk(hold, place) else { return nil }
            bytes += chunk
        }
        return Int64(bytes.count) == draft.byteCount ? bytes : nil
    }

    func beginBody() async throws(CacheError) -> (HTTPBodyDraft, HTTPBodyHold)? {
        try await storage { () throws(StorageError) in try await journal.beginHTTPBody() }
    }

    func write(_ chunk: [UInt8], of draft: HTTPBodyDraft) async throws(CacheError) -> HTTPBodyDraft? {
        try await storage { () throws(StorageError) in try await journal.writeHTTPChunk(chunk, of: draft) }
    }

    /// True if a draft is in the file that is currently open.
    func isCurrent(_ hold: HTTPBodyHold) -> Bool { journal.httpLedger?.isCurrent(hold) ?? false }

    /// Removes the chunks that are no longer held.
    func sweep() async {
        do throws(StorageError) {
            _ = try await journal.writeHTTP([])
        } catch {
            // They are removed with the next change, or when the file is opened next.
        }
    }

    /// Announces that responses are about to be removed, so that a response on its way cannot bring them back.
    func announce(_ selections: [HTTPSelection]) {
        for selection in selections { questions.noteRemoval(selection) }
    }

    /// Announces that responses are removed, and returns the changes that remove them.
    func removing(_ selections: [HTTPSelection]) -> [HTTPChange] {
        announce(selections)
        return selections.map { .removeAll($0) }
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

    /// Returns the change that stores a response.
    static func storing(
        _ completed: CompletedExchange, _ question: HTTPClient.Question, normalized: StoredResponseHead.Normalized?,
        replacing: [Int64]
    ) -> HTTPChange {
        let fetch = question.fetch
        var stored = completed.stored
        let variant = Variant(
            fetch.request.fields, names: Vary.names(of: stored.head.fields), salt: question.salt)
        stored.head.fields = StoredHead.storable(stored.head.fields)
        let answer = StoredResponseHead(head: stored, variant: variant, normalized: normalized, url: completed.url)
        var record = HTTPRecord(
            library: fetch.library, url: fetch.request.url.text,
            key: completed.url == fetch.request.url ? fetch.key : HTTPFetch.led(fetch.key),
            isSession: fetch.storage == .session, head: answer.bytes, byteCount: completed.content.byteCount,
            answeredAt: stored.answeredAt)
        record.question = question.asked
        switch completed.content {
        case .bytes(let body): return .store(record, body: body, replacing: replacing)
        case .draft(let draft, _): return .storeDraft(record, draft, replacing: replacing)
        case .arriving, .passed: preconditionFailure("a body is stored when all of it is there")
        }
    }

    private func storage<Value: Sendable>(
        _ body: () async throws(StorageError) -> Value
    ) async throws(CacheError) -> Value {
        do throws(StorageError) {
            return try await body()
        } catch {
            throw CacheError(error)
        }
    }
}

import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore

/// The journal's calls for stored HTTP responses. They run on its queue like all others.
extension SQLiteJournal {
    // These calls are async, because in an async context a caller would otherwise get the defaults of `HTTPJournal`,
    // which store nothing.
    /// Returns the stored responses of a URL without their bodies, newest first.
    package func httpAnswers(library: ByteString, url: ByteString) async throws(StorageError) -> [HTTPRecord] {
        try http { database in try database.httpAnswers(library: library, url: url) }
    }

    /// Reads the body of a stored response, or some of its bytes.
    ///
    /// - Parameters:
    ///   - number: The number of the response.
    ///   - bounds: The range of bytes within the body; nil for all.
    ///   - usedAt: The time of the use, for the eviction order, in milliseconds since 1970; nil if this is no use.
    /// - Returns: nil when the response does not exist or fails its check.
    package func httpBody(
        _ number: Int64, bounds: Range<Int64>? = nil, usedAt: Int64?
    ) async throws(StorageError) -> [UInt8]? {
        try http { database in try database.httpBody(number, bounds: bounds, usedAt: usedAt) }
    }

    /// Begins a body that is written in chunks before its head.
    ///
    /// - Returns: The draft, and a hold: when the hold ends without a stored response, the draft is removed. nil while
    ///   the contents of a damaged file are being replaced.
    package func beginHTTPBody() async throws(StorageError) -> (HTTPBodyDraft, HTTPBodyHold)? {
        try http { database in try database.beginHTTPBody() }
    }

    /// Writes the next chunk of a body in a transaction of its own.
    ///
    /// - Returns: The draft with the chunk; nil when the file was replaced meanwhile, or the body has the most chunks.
    package func writeHTTPChunk(
        _ bytes: [UInt8], of draft: HTTPBodyDraft
    ) async throws(StorageError) -> HTTPBodyDraft? {
        try http { database in try database.writeHTTPChunk(bytes, of: draft) }
    }

    /// Checks the chunks of a stored body, and keeps them until the hold ends.
    ///
    /// - Returns: nil when the response does not exist or fails its check.
    package func holdHTTPBody(_ number: Int64, usedAt: Int64?) async throws(StorageError) -> HTTPBodyHold? {
        try http { database in try database.holdHTTPBody(number, usedAt: usedAt) }
    }

    /// Reads one chunk of a held body; nil when it does not exist or fails its check.
    package func httpChunk(_ hold: HTTPBodyHold, _ place: Int64) async throws(StorageError) -> [UInt8]? {
        try http { database in try database.httpChunk(hold, place) }
    }

    /// Returns stored responses without their bodies, by library, URL and number.
    ///
    /// - Parameter after: The response after which to begin; nil to begin with the first.
    package func httpPage(
        _ selection: HTTPSelection, after: HTTPPlace?, countMax: Int
    ) async throws(StorageError) -> [HTTPRecord] {
        try http { database in try database.httpPage(selection, after: after, countMax: countMax) }
    }

    /// Changes stored responses in a transaction of its own.
    ///
    /// - Returns: The number of responses that were removed.
    package func writeHTTP(_ changes: [HTTPChange]) async throws(StorageError) -> Int {
        try http { database in try database.writeHTTP(changes) }
    }

    /// Removes the least recently used responses until so many bytes are free, or none is left.
    ///
    /// - Returns: True if any was removed.
    package func removeAttached(byteCount: Int64) async throws(StorageError) -> Bool {
        try http { database in try database.removeHTTP(byteCount: byteCount) }
    }

    /// Returns the totals of stored responses, including those that end with the process.
    package func httpTotals() async -> HTTPTotals {
        HTTPTotals(answerCount: database?.http.count ?? 0, byteCount: database?.http.byteCount ?? 0)
    }

    /// Sets the bound of stored responses.
    package func limitHTTP(_ limits: HTTPLimits) async {
        httpLimits = limits
        database?.httpLimits = limits
    }

    /// Returns the salt of the file, with which credentials are hashed.
    package func httpSalt() async throws(StorageError) -> [UInt8] {
        try http { database in try database.httpSalt(random: configuration.random) }
    }

    private func http<Result>(_ body: (JournalDatabase) throws -> Result) throws(StorageError) -> Result {
        let database = try openDatabase()
        do { return try body(database) } catch { throw SQLiteError.storageError(error, path: file.path) }
    }
}

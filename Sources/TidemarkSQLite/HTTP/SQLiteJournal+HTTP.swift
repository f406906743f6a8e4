import Tidemark
import TidemarkModel
import TidemarkStore

/// The journal's calls for HTTP answers, which run on its queue as all others do.
extension SQLiteJournal {
    // The calls for HTTP are async: a caller in an async context would otherwise get the defaults of `Journal`, which
    // keep nothing.
    package func httpAnswers(library: ByteString, url: ByteString) async throws(StorageError) -> [HTTPRecord] {
        try http { database in try database.httpAnswers(library: library, url: url) }
    }

    package func httpBody(
        _ number: Int64, bounds: Range<Int64>? = nil, usedAt: Int64?
    ) async throws(StorageError) -> [UInt8]? {
        try http { database in try database.httpBody(number, bounds: bounds, usedAt: usedAt) }
    }

    package func beginHTTPBody() async throws(StorageError) -> (HTTPBodyDraft, HTTPBodyHold)? {
        try http { database in try database.beginHTTPBody() }
    }

    package func writeHTTPChunk(
        _ bytes: [UInt8], of draft: HTTPBodyDraft
    ) async throws(StorageError) -> HTTPBodyDraft? {
        try http { database in try database.writeHTTPChunk(bytes, of: draft) }
    }

    package func holdHTTPBody(_ number: Int64, usedAt: Int64?) async throws(StorageError) -> HTTPBodyHold? {
        try http { database in try database.holdHTTPBody(number, usedAt: usedAt) }
    }

    package func httpChunk(_ hold: HTTPBodyHold, _ place: Int64) async throws(StorageError) -> [UInt8]? {
        try http { database in try database.httpChunk(hold, place) }
    }

    package func httpPage(
        _ selection: HTTPSelection, after: HTTPPlace?, countMax: Int
    ) async throws(StorageError) -> [HTTPRecord] {
        try http { database in try database.httpPage(selection, after: after, countMax: countMax) }
    }

    package func writeHTTP(_ changes: [HTTPChange]) async throws(StorageError) -> Int {
        try http { database in try database.writeHTTP(changes) }
    }

    package func removeHTTP(byteCount: Int64) async throws(StorageError) -> Bool {
        try http { database in try database.removeHTTP(byteCount: byteCount) }
    }

    package func httpTotals() async -> HTTPTotals {
        HTTPTotals(answerCount: database?.http.count ?? 0, byteCount: database?.http.byteCount ?? 0)
    }

    package func limitHTTP(_ limits: HTTPLimits) async {
        httpLimits = limits
        database?.httpLimits = limits
    }

    package func httpSalt() async throws(StorageError) -> [UInt8] {
        try http { database in try database.httpSalt(random: configuration.random) }
    }

    private func http<Result>(_ body: (JournalDatabase) throws -> Result) throws(StorageError) -> Result {
        let database = try openDatabase()
        do { return try body(database) } catch { throw SQLiteFailure.storageError(error, path: file.path) }
    }
}

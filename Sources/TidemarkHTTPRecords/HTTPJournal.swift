import Tidemark
import TidemarkModel

/// The part of a journal that stores HTTP responses beside the entities. A journal without this part stores none.
package protocol HTTPJournal: Sendable {
    /// Returns the stored responses of one URL without their bodies, newest first.
    ///
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func httpAnswers(library: ByteString, url: ByteString) async throws(StorageError) -> [HTTPRecord]

    /// The state of stored responses that callers share with the journal; nil when this journal stores none.
    nonisolated var httpLedger: HTTPLedger? { get }

    /// Begins a body that is written in chunks before its head.
    ///
    /// - Returns: The draft, and its hold; a draft whose hold ends without a response is removed. nil when this journal
    ///   stores no responses.
    /// - Throws: ``StorageError`` when the journal cannot be written.
    func beginHTTPBody() async throws(StorageError) -> (HTTPBodyDraft, HTTPBodyHold)?

    /// Writes the next chunk of a body in a transaction of its own.
    ///
    /// - Parameter bytes: ``HTTPBodyDraft/chunkByteCount`` bytes, or fewer in the last chunk.
    /// - Returns: The draft with the chunk; nil when the journal does not know the draft, because the file was replaced
    ///   meanwhile.
    /// - Throws: ``StorageError``; then the chunk was not written.
    func writeHTTPChunk(_ bytes: [UInt8], of draft: HTTPBodyDraft) async throws(StorageError) -> HTTPBodyDraft?

    /// Checks the chunks of a stored body, and keeps them until the hold ends.
    ///
    /// - Returns: nil when the response is gone or fails its check.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    /// - Complexity: O(bytes on the disk); one chunk is in memory at a time.
    func holdHTTPBody(_ number: Int64, usedAt: Int64?) async throws(StorageError) -> HTTPBodyHold?

    /// Reads one chunk of a body that is held.
    ///
    /// - Returns: nil when the chunk is missing or fails its check.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func httpChunk(_ hold: HTTPBodyHold, _ place: Int64) async throws(StorageError) -> [UInt8]?

    /// Reads the body of a stored response.
    ///
    /// - Parameters:
    ///   - bounds: The wanted bytes, within the body; nil for all.
    ///   - usedAt: The time of the use, for the LRU order; nil when this is not a use.
    /// - Returns: nil when the response is gone or fails its check; it then counts as missing.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func httpBody(_ number: Int64, bounds: Range<Int64>?, usedAt: Int64?) async throws(StorageError) -> [UInt8]?

    /// Returns stored responses by library, URL and number.
    ///
    /// - Parameter after: The place after which the responses begin; nil to begin at the first.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func httpPage(
        _ selection: HTTPSelection, after: HTTPPlace?, countMax: Int
    ) async throws(StorageError) -> [HTTPRecord]

    /// Changes stored responses in a transaction of its own.
    ///
    /// - Returns: The number of responses that were removed.
    /// - Throws: ``StorageError``; then nothing was changed.
    func writeHTTP(_ changes: [HTTPChange]) async throws(StorageError) -> Int

    /// Sets the bound of stored responses.
    func limitHTTP(_ limits: HTTPLimits) async

    /// Returns the totals of stored responses, those of a session included.
    ///
    /// - Complexity: O(1).
    func httpTotals() async -> HTTPTotals

    /// Returns the salt of the file, with which credentials are hashed.
    ///
    /// - Throws: ``StorageError`` when the journal cannot be read.
    func httpSalt() async throws(StorageError) -> [UInt8]
}

extension HTTPJournal {
    /// Returns nothing: a journal stores no HTTP responses unless it implements this.
    package func httpAnswers(library: ByteString, url: ByteString) async throws(StorageError) -> [HTTPRecord] { [] }

    /// Returns nil: a journal stores no HTTP responses unless it implements this.
    package func httpBody(
        _ number: Int64, bounds: Range<Int64>?, usedAt: Int64?
    ) async throws(StorageError) -> [UInt8]? { nil }

    /// Nil: a journal stores no HTTP responses unless it implements this.
    package nonisolated var httpLedger: HTTPLedger? { nil }

    /// Returns nil: a journal stores no HTTP responses unless it implements this.
    package func beginHTTPBody() async throws(StorageError) -> (HTTPBodyDraft, HTTPBodyHold)? { nil }

    /// Returns nil: a journal stores no HTTP responses unless it implements this.
    package func writeHTTPChunk(
        _ bytes: [UInt8], of draft: HTTPBodyDraft
    ) async throws(StorageError) -> HTTPBodyDraft? { nil }

    /// Returns nil: a journal stores no HTTP responses unless it implements this.
    package func holdHTTPBody(_ number: Int64, usedAt: Int64?) async throws(StorageError) -> HTTPBodyHold? { nil }

    /// Returns nil: a journal stores no HTTP responses unless it implements this.
    package func httpChunk(_ hold: HTTPBodyHold, _ place: Int64) async throws(StorageError) -> [UInt8]? { nil }

    /// Returns nothing: a journal stores no HTTP responses unless it implements this.
    package func httpPage(
        _ selection: HTTPSelection, after: HTTPPlace?, countMax: Int
    ) async throws(StorageError) -> [HTTPRecord] { [] }

    /// Does nothing: a journal stores no HTTP responses unless it implements this.
    package func writeHTTP(_ changes: [HTTPChange]) async throws(StorageError) -> Int { 0 }

    /// Returns zeros: a journal stores no HTTP responses unless it implements this.
    package func httpTotals() async -> HTTPTotals { HTTPTotals() }

    /// Does nothing: a journal stores no HTTP responses unless it implements this.
    package func limitHTTP(_ limits: HTTPLimits) async {}

    /// Returns an empty salt: nothing is hashed with it.
    package func httpSalt() async throws(StorageError) -> [UInt8] { [] }
}

extension Journal {
    /// The journal's part for stored HTTP responses; one that stores none, if the journal has no such part.
    package var httpPart: any HTTPJournal { (self as? any HTTPJournal) ?? NoHTTPResponses() }
}

/// Stores no HTTP responses, for a journal without that part.
private struct NoHTTPResponses: HTTPJournal {}

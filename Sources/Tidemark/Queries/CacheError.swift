import TidemarkModel

/// A cache refused a request, or the journal failed. A refused request changes nothing.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
/// }
/// do {
///     let photos = try await cache.query(Photo.self, method: "photos.list", policy: .cacheOnly)
///     print(photos.items.count)
/// } catch let error as CacheError where error.code == .cacheMiss {
///     print("nothing stored:", error.reasons["cache"] ?? "")
/// }
/// ```
///
/// - Source: Protocol/errors.md, application errors.
public struct CacheError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error, for programs to decide by.
    public enum Code: String, Sendable, CaseIterable {
        /// No pending edit has the id: it has settled, or never existed.
        case unknownPending = "unknown_pending"
        /// Another pending edit has the id.
        case duplicatePending = "duplicate_pending"
        /// Nothing stored is fresh enough, and the request forbids asking an upstream.
        case cacheMiss = "cache_miss"
        /// The upstream failed, took too long, or sent a response that cannot be used.
        case upstreamFailed = "upstream_failed"
        /// A parameter is missing, malformed or contradicts another one.
        case invalidParams = "invalid_params"
        /// The request exceeds a limit of the cache.
        case limitExceeded = "limit_exceeded"
        /// The journal failed, or the cache is closed. When the journal fails, the commit or rollback of an edit is
        /// done in memory and written as soon as the disk works; other requests change nothing.
        case storageFailed = "storage_failed"
        /// An entity was changed by another writer, or the cache was cleared, since the request began.
        case conflict
        /// No observer has the number.
        case unknownSubscription = "unknown_subscription"
        /// Nothing has the name, or the place, that the request names.
        case notFound = "not_found"
        /// A GraphQL document breaks the rules; the details list the findings.
        case invalidDocument = "invalid_document"
        /// An HTTP exchange failed because the host cannot be reached.
        case offline
        /// An HTTP exchange took too long.
        case timedOut = "timed_out"
        /// The connection of an HTTP exchange broke.
        case connectionLost = "connection_lost"
        /// A connection could not be made secure.
        case tlsFailed = "tls_failed"
        /// The body of an HTTP response ended early.
        case truncated
        /// An HTTP response redirected too often, or to a forbidden place.
        case redirectFailed = "redirect_failed"
    }

    /// A further member of the error's data.
    public struct Detail: Hashable, Sendable {
        /// The name of the member.
        public var name: ByteString
        /// The value as JSON.
        public var json: [UInt8]

        /// Makes a member of the error's data.
        public init(_ name: ByteString, json: [UInt8]) {
            self.name = name
            self.json = json
        }
    }

    /// The code of the error, whose raw value is its name in the protocol.
    public var code: Code
    /// What went wrong, and what to do about it.
    public var message: String
    /// Why a read failed both in the cache and at the upstream, by `cache` and `upstream`; empty for most errors.
    public var reasons: [String: String]
    /// Further members of the error's data; empty for most errors.
    public var details: [Detail]
    /// The code of the journal's failure, such as `.suspended` or `.protected`; nil when the journal did not fail. Set
    /// only with the code `.storageFailed`.
    public var storageCode: StorageError.Code?

    /// Makes an error.
    public init(_ code: Code, _ message: String, reasons: [String: String] = [:], details: [Detail] = []) {
        self.code = code
        self.message = message
        self.reasons = reasons
        self.details = details
    }

    /// Makes the error `.storageFailed` for a failure of the journal, whose code is in ``storageCode``.
    public init(_ failure: StorageError) {
        self.init(.storageFailed, failure.description)
        storageCode = failure.code
    }

    /// The code and the message in one line.
    public var description: String { "\(code.rawValue): \(message)" }
}

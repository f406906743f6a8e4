import Foundation
import Synchronization
public import Tidemark
import TidemarkLiveScopes
import TidemarkModel
import TidemarkScopes
import TidemarkStore

/// The scopes of a cache: each client is sent the part of a library that it may see, and nothing else.
///
/// ```swift
/// func serve(_ authenticator: any ScopeAuthenticator) async throws {
///     let file = Array(try Data(contentsOf: URL(filePath: "scopes.json")))
///     var configuration = CacheServerConfiguration(token: try TokenFile(path: "cache.db.token").token())
///     configuration.scopes = try await ScopeRoutes(cache, file: file, authenticator: authenticator)
///     try await CacheServer(cache, configuration: configuration).run()
/// }
/// ```
///
/// A program with a protocol of its own asks for ``stream(_:_:for:after:epoch:)`` instead, and keeps ``keepTime()``
/// running in a task.
///
/// - Source: Protocol/scopes.md.
public final class ScopeRoutes: Sendable {
    /// Why scopes cannot be served.
    public struct Fault: Error, Sendable {
        /// What is wrong and what to write instead.
        public let message: String
    }

    package let service: ScopeService
    package let serving: ScopeServingLimits
    let authenticator: any ScopeAuthenticator
    /// Makes edits; nil if there are none.
    let edits: (any ScopeEditUpstream)?
    private let types: [ByteString: ByteString]
    /// The keys of the tokens under which streams are open; bounded by the number of streams.
    private let keys = Mutex<[Int: ScopeKeyID]>([:])

    /// Serves the scopes of a file from a cache.
    ///
    /// - Parameters:
    ///   - cache: An open cache that serves no scopes yet.
    ///   - json: The text of the file, as `Protocol/scopes.md` describes it.
    ///   - authenticator: Tells who asks.
    ///   - edits: Makes the edits of clients; nil for scopes that are only read.
    ///   - history: How long a client may be away and still be told what left: 24 hours by default.
    /// - Throws: ``Fault`` if the file cannot be used, or the cache cannot be read.
    public convenience init(
        _ cache: SyncCache, file json: [UInt8], authenticator: any ScopeAuthenticator,
        edits: (any ScopeEditUpstream)? = nil, history: Duration = .seconds(24 * 60 * 60)
    ) async throws(Fault) {
        try await self.init(
            cache, try ScopeRoutes.file(json, await cache.typeAliases), authenticator, edits: edits, history: history)
    }

    /// Serves the scopes of a file that was checked.
    ///
    /// - Throws: ``Fault`` if the cache cannot be read, or the rules name too many types.
    package init(
        _ cache: SyncCache, _ file: ScopeFile, _ authenticator: any ScopeAuthenticator,
        edits: (any ScopeEditUpstream)? = nil, history: Duration? = nil, limits: ScopeLimits = ScopeLimits(),
        serving: ScopeServingLimits = ScopeServingLimits()
    ) async throws(Fault) {
        types = await cache.typeAliases
        var limits = limits
        if let history { limits.historySecondCount = max(0, history.components.seconds) }
        do throws(CacheError) {
            service = try await ScopeService(cache, file, limits: limits, serving: serving)
        } catch {
            throw Fault(message: error.message)
        }
        self.authenticator = authenticator
        self.edits = edits
        self.serving = serving
    }

    private static func file(_ json: [UInt8], _ types: [ByteString: ByteString]) throws(Fault) -> ScopeFile {
        do throws(ScopeFileError) {
            return try ScopeFile(json: json, types: types)
        } catch {
            throw Fault(message: error.message)
        }
    }

    /// Replaces the file. Clients of scopes that it defines in another way are sent a new state; those of scopes that
    /// it does not have are told that everything left, and their streams end.
    ///
    /// - Throws: ``Fault`` if the file cannot be used; the former one then stays.
    public func replace(file json: [UInt8]) async throws(Fault) {
        try await replace(try ScopeRoutes.file(json, types))
    }

    /// Replaces the file by one that was checked.
    ///
    /// - Throws: ``Fault`` if its rules name too many types; the former one then stays.
    package func replace(_ file: ScopeFile) async throws(Fault) {
        do throws(CacheError) {
            try await service.replace(file)
        } catch {
            throw Fault(message: error.message)
        }
    }

    /// Ends the streams under keys that the authenticator does not accept any more. Call it after its keys changed.
    public func endRevoked() async {
        for (id, key) in keys.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            if await authenticator.accepts(key) { continue }
            await service.end(stream: id, .tokenRevoked)
        }
    }

    /// Writes heartbeats, and ends streams whose token is over, until the task is cancelled.
    ///
    /// Call this only if no ``CacheServer`` serves the scopes.
    public func keepTime() async { await service.keepTime() }

    // MARK: Streams

    func open(
        _ request: ScopeRequest, _ resumption: ScopeReader.Resumption?, for identity: ScopeIdentity
    ) async throws(ScopeRefusal) -> ScopeStream {
        let expiry = identity.expiry.timeIntervalSince1970 * 1_000
        let stream = try await service.open(
            request, resumption, expiry: expiry < 9e15 ? Int64(expiry) : .max)
        keys.withLock { $0[stream.id] = identity.keyID }
        return stream
    }

    /// Forgets a stream whose connection has ended.
    func close(_ stream: ScopeStream) {
        keys.withLock { $0[stream.id] = nil }
        // Unstructured on purpose: it is called when a connection is released, and does one step.
        Task { [service] in await service.close(stream) }
    }
}

extension ScopeRequest {
    /// Creates a request.
    init(_ name: String, _ identity: ScopeIdentity, _ parameters: [(name: ByteString, value: ByteString)]) {
        let issuer = identity.issuer?.bytes ?? []
        let kind = (identity.issuer == nil ? "-" : "i") + (identity.subject == nil ? "-" : "s")
        // With the length of the issuer, so that no two pairs are one subject.
        let subject = Array("\(kind)\(issuer.count):".utf8) + issuer + (identity.subject?.bytes ?? [])
        self.init(
            name: ByteString(name), subject: ByteString(subject), claims: identity.claims, address: parameters)
    }
}

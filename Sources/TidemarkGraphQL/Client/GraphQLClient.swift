import Synchronization
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkHTTP
import TidemarkModel
import TidemarkStore

/// A GraphQL client over one cache: it fetches, watches and writes queries and performs mutations, while events update
/// the same cache.
///
/// ```swift
/// let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
/// for try await result in client.watch(query: "{ hero { name } }") {
///     print(result.data?["hero"]?["name"]?.string ?? "nobody")
/// }
/// ```
///
/// A watcher ends with its task; nothing has to be cancelled. Errors are ``/Tidemark/CacheError``s with the codes of
/// Protocol/errors.md, or errors of decoding.
public struct GraphQLClient: Sendable {
    /// The settings of a client.
    public struct Options: Sendable {
        /// The server's schema as type definitions; empty if unknown. Ages are those of `CacheConfiguration.policy`,
        /// not those in this text.
        public var schema = ""
        /// When a response that arrives in parts is stored.
        public var write = GraphQLWrite.complete
        /// The formats for responses in parts that the client accepts.
        public var formats = DeliveryRegistry.standard
        /// The library for all documents; empty for the default one.
        public var library = ""
        /// How a subscription reconnects after its connection was lost.
        public var reconnecting = GraphQLReconnecting()
        /// Performs pending edits that are not GraphQL mutations; nil if nothing does. If it is set, open the cache
        /// without a mutation upstream, because the client takes over the outbox.
        public var mutations: (any MutationUpstream)?
        /// Returns an object's key for its typename and fields, in place of the key fields; if it returns nil, the key
        /// fields decide.
        ///
        /// It is called on the cache's executor and on the caller's, so it must be quick, and must always return the
        /// same key for one object.
        public var cacheKey: (@Sendable (_ typename: String, _ object: JSONValue) -> String?)?

        /// Creates the default settings.
        public init() {}
    }

    /// The underlying cache, for entities, queries and edits.
    public let cache: SyncCache
    let library: ByteString
    let rules: GraphQLRules
    private let documents = DocumentCache()

    /// Creates the client of a cache. A cache has one client, which is shared.
    ///
    /// - Parameters:
    ///   - cache: The cache.
    ///   - endpoint: The server; nil to use the cache alone.
    ///   - transport: Performs the exchanges with the server; by default libcurl, with the proxy that the environment
    ///     names.
    ///   - options: The settings.
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` for an invalid schema, or if the cache already has a client.
    public init(
        _ cache: SyncCache, endpoint: GraphQLEndpoint? = nil,
        transport: any HTTPTransport = CurlTransport(proxy: .system),
        options: Options = Options()
    ) async throws(CacheError) {
        let upstream = await endpoint.mapAsync { endpoint in
            GraphQLHTTPUpstream(
                endpoint.endpoint, transport: transport, clock: cache.clock, formats: options.formats)
        }
        try await self.init(cache, upstream: upstream, options: options)
    }

    /// Creates a client with any upstream, such as a host or a test.
    package init(
        _ cache: SyncCache, upstream: (any GraphQLUpstream)?, options: Options = Options()
    ) async throws(CacheError) {
        let configuration = cache.configuration
        var rules: GraphQLRules
        if options.schema.isEmpty {
            rules = GraphQLRules(policy: configuration.policy, typeAliases: configuration.typeAliases)
        } else {
            do throws(GraphQLErrors) {
                let schema = try GraphQLSchema.read(Array(options.schema.utf8))
                rules = GraphQLRules(
                    schema: schema, identity: schema.identity, policy: configuration.policy,
                    typeAliases: configuration.typeAliases)
            } catch {
                throw CacheError(.invalidParams, "the schema: \(error)")
            }
        }
        rules.cacheKey = options.cacheKey
        self.cache = cache
        self.rules = rules
        library = options.library.isEmpty ? configuration.defaultLibrary : ByteString(options.library)
        let write = options.write
        let reconnecting = options.reconnecting
        let own = rules
        guard
            await cache.attach({
                GraphQLEngine(rules: own, upstream: upstream, write: write, reconnecting: reconnecting)
            })
        else {
            throw CacheError(.invalidParams, "the cache has a GraphQL client already: share that one")
        }
        if upstream != nil {
            await cache.startOutbox(
                GraphQLMutations(cache, other: options.mutations), timeout: configuration.fetchTimeout.wholeMilliseconds
            )
        }
    }

    /// Returns a document, parsed and checked.
    func document(_ text: String) throws(CacheError) -> CheckedDocument {
        try documents.document(text, rules)
    }
}

extension Optional where Wrapped: Sendable {
    /// Maps a value with an asynchronous function.
    fileprivate func mapAsync<Value>(_ body: (Wrapped) async -> Value) async -> Value? {
        guard let self else { return nil }
        return await body(self)
    }
}

/// The documents that a client has parsed. The least recently used are evicted first.
final class DocumentCache: Sendable {
    private let store = Mutex(DocumentStore<CheckedDocument>())

    func document(_ text: String, _ rules: GraphQLRules) throws(CacheError) -> CheckedDocument {
        let key = ByteString(text)
        if let known = store.withLock({ $0.parsed(key) }) { return known }
        do throws(DocumentError) {
            let document = try CheckedDocument(key.bytes, rules: rules)
            store.withLock { $0.keep(document, for: key) }
            return document
        } catch {
            throw error.cacheError
        }
    }
}

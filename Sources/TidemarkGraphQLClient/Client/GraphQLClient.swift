import Synchronization
import Tidemark
import TidemarkGraphQL
import TidemarkGraphQLStore
import TidemarkHTTP
import TidemarkModel
import TidemarkStore

/// Documents of GraphQL over one cache: fetched, watched, written and mutated, beside the events that feed it.
///
/// ```swift
/// let cache = try await SyncCache.open(configuration: CacheConfiguration(), journal: journal)
/// let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
/// for try await result in client.watch(query: "{ hero { name } }") {
///     print(result.data?["hero"]?["name"]?.string ?? "nobody")
/// }
/// ```
///
/// A watcher ends with its task; nothing has to be cancelled. Errors are ``CacheError``s, with the codes of
/// Protocol/errors.md, and the errors of decoding.
public struct GraphQLClient: Sendable {
    /// Settings of a client.
    public struct Options: Sendable {
        /// The server's types as type definitions; empty where none are known. Ages are those of
        /// `CacheConfiguration.policy`, not of this text.
        public var schema = ""
        /// The moment at which an answer that comes in parts is stored.
        public var write = GraphWrite.complete
        /// The forms of answers in parts that are understood.
        public var formats = DeliveryRegistry.standard
        /// The library of all documents; empty for the default one.
        public var library = ""
        /// The pauses before a subscription is asked for again.
        public var reconnecting = GraphReconnecting()
        /// The server of pending edits that are no documents; nil where nobody performs them. Open the cache without
        /// one of its own then: the client takes over the outbox.
        public var mutations: (any MutationUpstream)?
        /// Gives an object's key by its typename and fields, instead of the key fields; nil leaves it to them.
        ///
        /// Called on the cache's executor and on the caller's: it must be quick, and give the same key for one object.
        public var cacheKey: (@Sendable (_ typename: String, _ object: JSONValue) -> String?)?

        public init() {}
    }

    /// The cache below, for entities, queries and edits.
    public let cache: SyncCache
    let library: ByteString
    let rules: GraphRules
    private let documents = DocumentCache()

    /// - Parameters:
    ///   - cache: The cache; it has one client, which is shared.
    ///   - endpoint: The server; nil where nobody can be asked.
    ///   - transport: The way to the server; by itself through the proxy that the environment names.
    /// - Throws: ``CacheError`` `.invalidParams` for a schema that cannot be used, and when the cache has a client.
    public init(
        _ cache: SyncCache, endpoint: GraphQLEndpoint? = nil,
        transport: any HTTPTransport = CurlTransport(proxy: .system),
        options: Options = Options()
    ) async throws(CacheError) {
        let upstream = await endpoint.mapAsync { endpoint in
            GraphHTTPUpstream(
                endpoint.endpoint, transport: transport, clock: await cache.graphClock, formats: options.formats)
        }
        try await self.init(cache, upstream: upstream, options: options)
    }

    /// Makes a client of any upstream: a host's, or a test's.
    package init(
        _ cache: SyncCache, upstream: (any GraphUpstream)?, options: Options = Options()
    ) async throws(CacheError) {
        let configuration = await cache.graphConfiguration
        var rules: GraphRules
        if options.schema.isEmpty {
            rules = GraphRules(policy: configuration.policy, typeAliases: configuration.typeAliases)
        } else {
            do throws(GraphQLErrors) {
                let schema = try GraphQLSchema.read(Array(options.schema.utf8))
                rules = GraphRules(
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
            await cache.attachFirst({
                GraphEngine(rules: own, upstream: upstream, write: write, reconnecting: reconnecting)
            })
        else {
            throw CacheError(.invalidParams, "the cache has a GraphQL client already: share that one")
        }
        if upstream != nil {
            await cache.startOutbox(
                GraphMutations(cache, other: options.mutations), timeout: configuration.fetchTimeout.wholeMilliseconds)
        }
    }

    /// Returns a document that was parsed and checked.
    func document(_ text: String) throws(CacheError) -> GraphDocument {
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

/// The documents that a client has parsed; the least recently used are evicted first.
final class DocumentCache: Sendable {
    private let store = Mutex(DocumentStore<GraphDocument>())

    func document(_ text: String, _ rules: GraphRules) throws(CacheError) -> GraphDocument {
        let key = ByteString(text)
        if let known = store.withLock({ $0.parsed(key) }) { return known }
        do throws(DocumentRefusal) {
            let document = try GraphDocument(key.bytes, rules: rules)
            store.withLock { $0.keep(document, for: key) }
            return document
        } catch {
            throw error.cacheError
        }
    }
}

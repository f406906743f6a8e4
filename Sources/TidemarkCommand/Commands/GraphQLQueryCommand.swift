import ArgumentParser
import Synchronization
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkGraphQL
import TidemarkHTTP
import TidemarkModel
import TidemarkSQLite
import TidemarkSession
import TidemarkJSON

/// `tidemark graphql query`: reads a document from the cache, the server, or both.
struct GraphQLQueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Read a GraphQL document from the cache or its server.",
        discussion: """
            Prints the result of graphql.read as one JSON line. With --watch the document stays observed until a \
            signal: what becomes too old is fetched again, and each change is one line. Needs the database's lock.

            EXAMPLE
              tidemark graphql query --db cache.db --endpoint https://example.com/graphql --document hero.graphql
              tidemark graphql query --db cache.db --endpoint http://localhost:4000 --query '{ hero { name } }' \
            --policy cacheOnly
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var schema: SchemaOptions
    @Option(help: ArgumentHelp("The server.", valueName: "url"))
    var endpoint: String
    @Option(
        name: .customLong("header"), parsing: .singleValue,
        help: ArgumentHelp(
            "A field of the requests, as 'Name: value'; may be repeated. Never shown.", valueName: "field"))
    var headers: [String] = []
    @Option(help: ArgumentHelp("The file of the document.", valueName: "file"))
    var document: String?
    @Option(help: ArgumentHelp("The document itself.", valueName: "text"))
    var query: String?
    @Option(help: ArgumentHelp("The variables: one JSON object.", valueName: "json"))
    var variables: String?
    @Option(help: ArgumentHelp("The operation, where the document has several.", valueName: "name"))
    var operation: String?
    @Option(
        help:
            "When the server is asked: cacheFirst, cacheAndNetwork, networkOnly, cacheOnly and the others of query.read."
    )
    var policy = FetchPolicy.cacheFirst
    @Option(help: ArgumentHelp("How long the server may take.", valueName: "seconds"))
    var timeout = 30.0
    @Option(
        help: ArgumentHelp(
            "The proxy to the server: system, the one that the environment names; none; or a URL. Never shown.",
            valueName: "proxy"))
    var proxy = "system"
    @Option(help: "When an answer in parts is stored: complete or incremental.")
    var write = GraphQLWrite.complete
    @Flag(help: "Go on until a signal, and print each change.")
    var watch = false

    func validate() throws {
        guard (document == nil) != (query == nil) else { throw ValidationError("Give --document or --query.") }
        guard timeout > 0, timeout <= 86_400 else {
            throw ValidationError("--timeout takes more than 0 and at most 86400 seconds.")
        }
        _ = try server()
        _ = try EndpointOptions.proxy(proxy, option: "-")
    }

    private func server() throws -> DocumentServer {
        try EndpointOptions.server(
            endpoint, headers: headers, pendingHeader: "Tidemark-Pending-Id",
            timeout: .milliseconds(max(1, Int64(timeout * 1_000))), option: "-")
    }

    func run() async throws {
        let limits = ExecutableLimits()
        let text =
            try document.map { try FileContents.bytes(of: $0, byteCountMax: limits.byteCountMax) }
            ?? Array((query ?? "").utf8)
        var configuration = CacheConfiguration()
        // Ages come from the schema; in this command `--policy` names the fetch policy.
        if let file = schema.file { configuration.policy = try PolicyOptions.read(file) }
        let rules = try schema.rules(
            policy: configuration.policy, policyText: [], typeAliases: configuration.typeAliases)
        let journal = try await database.openJournal()
        let cache = try await SyncCache.open(configuration: configuration, journal: journal)
        let upstream = GraphQLHTTPUpstream(
            try server(), transport: CurlTransport(proxy: try EndpointOptions.proxy(proxy, option: "-")),
            clock: SystemClock())
        let write = write
        await cache.attach { GraphQLEngine(rules: rules, upstream: upstream, write: write) }
        var request = GraphQLReadRequest(
            GraphQLRequest(
                ByteString(text), operationName: operation.map { ByteString($0) },
                variables: variables.map { ByteString($0) }, library: scope.library ?? ""))
        request.policy = policy
        request.refreshes = watch
        let failure = await perform(request, cache)
        try await cache.close()
        if let failure { throw failure }
    }

    /// Reads and prints the document, and with `--watch` each change until a signal.
    private func perform(_ request: GraphQLReadRequest, _ cache: SyncCache) async -> (any Error)? {
        let sink = watch ? LineSink() : nil
        let (replies, reply) = AsyncStream.makeStream(of: Result<GraphQLReply, CacheError>.self)
        do {
            await cache.withWing(GraphQLEngine.self) { engine, cache in
                await engine.read(request, observing: sink, in: cache) { result in
                    reply.yield(result)
                    if request.policy != .cacheAndNetwork { reply.finish() }
                } later: { result in
                    reply.yield(result)
                    reply.finish()
                }
            }
            let output = Output.standard()
            for await result in replies {
                var line = JSONLine()
                let read = try result.get()
                line.object { $0.graphResult(read.result) }
                try output.writeLine(line.bytes)
                try output.flush()
                // Only `cacheAndNetwork` gives a second answer, and only after one from the cache.
                if read.result.source == .upstream { break }
            }
            guard let sink else { return nil }
            let signals = SignalWatch { sink.end() }
            defer { signals.end() }
            for await line in sink.lines {
                try output.writeLine(line)
                try output.flush()
                await cache.resume(sink)
            }
            return nil
        } catch let error as CacheError {
            return GraphQLQueryCommand.failure(error)
        } catch {
            return error
        }
    }

    private static func failure(_ error: CacheError) -> Failure {
        switch error.code {
        case .invalidDocument:
            Failure(
                .badData, "invalid_document", error.message, outcome: "nothing was asked", advice: "mend the document")
        case .invalidParams:
            Failure(
                .badData, "invalid_params", error.message, outcome: "nothing was asked",
                advice: "mend the variables, or name the operation")
        case .cacheMiss:
            Failure(
                .noInput, "cache_miss", error.message, outcome: "nobody was asked",
                advice: "allow the server with --policy cacheFirst")
        case .upstreamFailed:
            Failure(
                .unavailable, "upstream_failed", error.message, outcome: "nothing was stored",
                advice: "look at the server, and ask again")
        case .limitExceeded: Failure(.usage, "limit_exceeded", error.message, advice: "ask for less")
        default: Failure(.inputOutput, "input_output", error.message, advice: "look at the disk, and ask again")
        }
    }
}

extension FetchPolicy: ExpressibleByArgument {}

/// Passes notifications on as lines. For a slow reader the cache merges changes.
private final class LineSink: ObserverSink {
    let lines: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    /// The maximum number of unread lines.
    private static let countMax = 64

    init() {
        (lines, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingOldest(LineSink.countMax))
    }

    func offer(_ notification: CacheNotification) -> Bool {
        guard case .document(let changed) = notification else { return true }
        if case .dropped = continuation.yield(changed.params) { return false }
        return true
    }

    func deliver(_ notification: CacheNotification) {
        // The buffer has room for what closing delivers; later notifications have no reader.
        _ = offer(notification)
    }

    func end() { continuation.finish() }
}

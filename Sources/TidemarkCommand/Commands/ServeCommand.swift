import ArgumentParser
import Logging
import Tidemark
import TidemarkGraphQL
import TidemarkHTTP
import TidemarkJetStream
import TidemarkModel
import TidemarkSQLite
import TidemarkSession
import TidemarkJSON

/// `tidemark serve`: serves a cache over HTTP.
struct ServeCommand: AsyncParsableCommand {
    /// The server; nil in the executable that does not link one.
    @TaskLocal static var server: (any CacheServing)?

    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract:
            "Serve programs and browsers on this machine: JSON-RPC, event streams and events over HTTP, the inspector.",
        discussion: """
            Prints one line with the address and the file of the token once requests are accepted, and on standard \
            error the address of the inspector, a page that shows the cache: open it in a browser. Every request \
            except those for the page and /healthz has to show the token, as Authorization: Bearer. SIGINT and SIGTERM end the streams, \
            finish what is under way, and write everything; the exit status is 0. Logs go to standard error.

            EXAMPLE
              tidemark serve --db cache.db
              tidemark serve --db cache.db --listen 127.0.0.1:0 --upstream file:complete.ndjson
              tidemark serve --db cache.db --read-only
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup(title: "Serving") var serving: ServeOptions
    @OptionGroup(title: "Scopes") var scopes: ScopeOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup(title: "GraphQL") var schema: SchemaOptions
    @OptionGroup(title: "GraphQL") var endpoint: EndpointOptions
    @OptionGroup var session: SessionOptions
    @Option(
        help: ArgumentHelp(
            """
            The upstream for missing events and for queries: none (the default), a log as file:PATH, a stream as \
            nats://host:port/STREAM, or a server of JSON-RPC as http(s)://…. With --from, the stream is the default.
            """,
            valueName: "who"))
    var upstream: ServedUpstream?
    @Option(
        name: .customLong("upstream-header"), parsing: .singleValue,
        help: ArgumentHelp(
            "A field of requests to the upstream, as 'Name: value'; may be repeated. Never shown.", valueName: "field"))
    var upstreamHeaders: [String] = []
    @OptionGroup(title: "JetStream") var stream: StreamOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "Indexes") var indexes: IndexOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Recording") var recording: RecordOptions

    func validate() throws {
        if case .log(let address) = upstream { try address.validate() }
        _ = try serverUpstream(limits: Limits(), OfflineTransport())
        if serving.readOnly, scopes.path != nil {
            throw ValidationError("--read-only takes no --scopes: their logs are written.")
        }
        if serving.readOnly, upstream != nil || stream.from != nil || recording.path != nil {
            throw ValidationError("--read-only takes no --upstream, --from or --record: it asks and writes nothing.")
        }
        if http.exchanger == .host { throw ValidationError("--http host is for tidemark run: there is no host here.") }
    }

    var policyInForce: PolicyOptions { policy.orSchema(schema) }

    func run() async throws {
        guard let server = ServeCommand.server else {
            throw NeighbourProgram.server.start(CommandLine.arguments.dropFirst())
        }
        let policy = try policy.policy(orOf: schema)
        try Recorder.check(recording)
        if case .log(.file(let path)) = upstream { try EngineStart.checkReadable(path) }
        let (stops, stop) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let signals = SignalWatch { stop.yield() }
        defer { signals.end() }
        var settings = serving.settings(
            databasePath: database.path, scopes: try scopes.serving(session.profile), logger: session.logger)
        settings.encryption = try database.key.encryption()
        let prepared = try await server.prepare(settings)
        if serving.readOnly {
            try await read(prepared, settings, policy, stops)
        } else {
            try await write(prepared, settings, policy, stops)
        }
    }

    /// Serves read-only, while another process writes the database.
    private func read(
        _ server: any PreparedServing, _ settings: ServingSettings, _ policy: CachePolicy, _ stops: AsyncStream<Void>
    ) async throws {
        let configuration = try session.configuration(policy, stream, limits, indexes)
        let encryption = try database.key.encryption()
        // Fail now, not at the first request, if the database cannot be read.
        do throws(StorageError) {
            _ = try SQLiteReader(path: database.path, encryption: encryption)
        } catch {
            throw Failure(error, isReader: true)
        }
        try await server.serveReading(
            configuration, onStart: { port in ServeStart(settings, port: port, token: server.token).write() },
            until: { for await _ in stops { return } })
    }

    /// Serves as the writer of the database.
    private func write(
        _ server: any PreparedServing, _ settings: ServingSettings, _ policy: CachePolicy, _ stops: AsyncStream<Void>
    ) async throws {
        let opened = try await open(policy, settings)
        let ending = ServeEnding(opened)
        do {
            try await server.serve(
                opened.cache, opened.session, opened.recorder,
                onStart: { port in ServeStart(settings, port: port, token: server.token).write() },
                until: { for await _ in stops { return } },
                close: { await ending.end() })
        } catch {
            await ending.end()
            throw error
        }
        if let failure = await ending.end() { throw failure }
    }
}

/// Where a served cache gets missing events and queries from.
enum ServedUpstream: Hashable, ExpressibleByArgument {
    /// A complete log in a file, or a stream.
    case log(UpstreamAddress)
    /// A JSON-RPC server. Kept as text, which may contain a password.
    case server(String)
    case nobody

    init?(argument: String) {
        if argument == "none" {
            self = .nobody
        } else if argument.hasPrefix("http://") || argument.hasPrefix("https://") {
            self = .server(argument)
        } else {
            guard let address = UpstreamAddress(argument: argument) else { return nil }
            self = .log(address)
        }
    }
}

import ArgumentParser
import Logging
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkGraphQL
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkJetStream
import TidemarkLiveViews
import TidemarkMessages
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite
import TidemarkSession

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `tidemark run`: serves one session with the program that started it.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Serve one host: events and JSON-RPC requests on standard input, answers on standard output.",
        discussion: """
            One JSON value a line in both directions. Event lines and requests may be mixed freely; they take effect \
            in the order of arrival. The session ends with its input, or with SIGINT or SIGTERM: pending work is \
            finished, everything is written, and the exit status is 0. Logs go to standard error.

            EXAMPLE
              tidemark run --db cache.db
              tidemark run --db cache.db --upstream file:complete.ndjson
              tidemark run --db cache.db --index file./kind --index file./size
              tidemark run --db cache.db --record session.rec
              tidemark run --db cache.db --from nats://localhost:4222/EVENTS
              tidemark run --db cache.db --graphql-endpoint http://localhost:4000/graphql
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup(title: "GraphQL") var schema: SchemaOptions
    @OptionGroup(title: "GraphQL") var endpoint: EndpointOptions
    @OptionGroup var session: SessionOptions
    @Option(
        help: ArgumentHelp(
            """
            The upstream for missing events: host (the default), a log as file:PATH, a stream as \
            nats://host:port/STREAM, or none. With none, queries are not fetched either. With --from, the stream is the \
            default.
            """,
            valueName: "who"))
    var upstream: SessionUpstream?
    @OptionGroup(title: "JetStream") var stream: StreamOptions
    @Flag(help: "Ask the host (cache.will_evict) before entities are evicted; without an answer they are evicted.")
    var askBeforeEvict = false
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "Indexes") var indexes: IndexOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Recording") var recording: RecordOptions

    func validate() throws {
        if case .log(let address) = upstream { try address.validate() }
    }

    func run() async throws {
        try Recorder.check(recording)
        let policy = try policy.policy(orOf: schema)
        if case .log(.file(let path)) = upstream { try EngineStart.checkReadable(path) }
        let input: DescriptorInput
        do throws(InputError) {
            input = try DescriptorInput(STDIN_FILENO)
        } catch {
            throw EngineStart.failure(error)
        }
        let signals = SignalWatch { input.stop() }
        defer { signals.end() }
        do {
            try await serve(input, policy)
        } catch let error as InputError {
            throw EngineStart.failure(error)
        }
    }

    private var policyInForce: PolicyOptions { policy.orSchema(schema) }

    private func serve(_ input: DescriptorInput, _ policy: CachePolicy) async throws {
        var configuration = try session.configuration(policy, stream, limits, indexes)
        let rules = try schema.rules(
            policy: policy, policyText: try policyInForce.text(), typeAliases: configuration.typeAliases)
        configuration.mergedTypes = rules.identity.mergedTypes
        let (room, roomSignal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let outputQueue = OutputQueue(STDOUT_FILENO, hasRoom: { roomSignal.yield() }, isAbandoned: { input.stop() })
        let clock = SystemClock()
        let calls = HostCalls(
            outputQueue, timeout: session.fetchDuration, clock: clock, logger: configuration.logger)
        let host = HostUpstream(calls, limits: configuration.limits)
        if askBeforeEvict { configuration.eviction.willEvict = { check in await host.mayEvict(check) } }
        let journal = try await database.openJournal()
        let upstream = try eventUpstream(host, configuration)
        let recorder = try await Recorder.begin(
            recording, command: "run", configuration, journal: journal, hasUpstream: upstream != nil,
            policy: try policyInForce.text(), clock: clock)
        let found = await journal.openingReport
        let cache = try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: upstream,
            queryUpstream: self.upstream == .nobody ? nil : host, clock: clock, recorder: recorder)
        try await EngineStart.reportRebuilt(database.path, journal, found: found, recorder, to: Output.errors())
        await journal.limitHTTP(http.limits)
        let transport = http.transport(calls)
        let graphUpstream = try graph(calls, transport, clock)
        let (write, reconnecting) = (endpoint.write, endpoint.reconnecting)
        await cache.attach {
            GraphQLEngine(rules: rules, upstream: graphUpstream, write: write, reconnecting: reconnecting)
        }
        try await ViewEngine.attach(to: cache)
        var settings = Session.Settings(
            limits: configuration.limits, defaultLibrary: configuration.defaultLibrary, logger: configuration.logger)
        settings.families = [
            GraphQLMethods(), ViewMethods(), NetworkMethods(nil),
            HTTPMethods(HTTPClient(cache, transport: transport, defaults: try http.defaults())),
        ]
        settings.sendsEdits = self.upstream != .nobody
        let feeding = try feed(cache, configuration.logger)
        settings.beforeEnd = { await feeding?() }
        let session = Session(of: cache, outputQueue: outputQueue, calls: calls, settings: settings)
        do {
            try await session.run(input, room: room)
        } catch {
            await recorder?.finish("the session failed: \(error)")
            throw error
        }
        await recorder?.finish("the session ended")
        if let failure = outputQueue.failure {
            throw Failure(
                .inputOutput, "input_output", "the output cannot be written", place: "standard output: \(failure)",
                outcome: "the input that was read is stored, later answers were not written",
                advice: "free space or write elsewhere, then start a session again")
        }
    }

    private func eventUpstream(
        _ host: HostUpstream, _ configuration: CacheConfiguration
    ) throws -> (any Upstream)? {
        switch upstream {
        case nil:
            if let address = try stream.address { return JetStreamUpstream(address, numbering: stream.numbering) }
            return host
        case .host: return host
        case .log(let address):
            return try address.open(defaultLibrary: configuration.defaultLibrary, limits: configuration.limits)
        case .nobody: return nil
        }
    }

    /// Returns the GraphQL server of `--graphql-endpoint`, or else the host; nil if neither may be used.
    private func graph(
        _ calls: HostCalls, _ transport: any HTTPTransport, _ clock: any CacheClock
    ) throws -> (any GraphQLUpstream)? {
        if let server = try endpoint.server(timeout: session.fetchDuration) {
            return GraphQLHTTPUpstream(server, transport: try endpoint.transport(transport), clock: clock)
        }
        return upstream == .nobody ? nil : HostGraph(calls)
    }

    /// Starts reading the stream of `--from` into the cache.
    ///
    /// - Returns: A function that stops reading, and returns once all that was read is applied; nil without `--from`.
    private func feed(_ cache: SyncCache, _ logger: Logger) throws -> (@Sendable () async -> Void)? {
        guard let address = try stream.address else { return nil }
        let feed = JetStreamFeed(address, settings: stream.settings, logger: logger)
        let task = Task {
            do {
                try await feed.run(into: cache)
            } catch {
                logger.error("the stream is not read any more: \(error)")
            }
        }
        return {
            feed.stop()
            await task.value
        }
    }
}

/// Where a session gets missing events from.
enum SessionUpstream: Hashable, ExpressibleByArgument {
    case host
    /// A complete log in a file, or a stream.
    case log(UpstreamAddress)
    case nobody

    init?(argument: String) {
        switch argument {
        case "host": self = .host
        case "none": self = .nobody
        default:
            guard let address = UpstreamAddress(argument: argument) else { return nil }
            self = .log(address)
        }
    }

    var defaultValueDescription: String { "host" }
}

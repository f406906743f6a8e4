import ArgumentParser
import Logging
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkGraphQL
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkJetStream
import TidemarkLiveViews
import TidemarkMessages
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite
import TidemarkSession
import TidemarkStore

/// An open cache with what is needed to serve it.
struct OpenedCache: Sendable {
    var cache: SyncCache
    var session: Session.Settings
    var recorder: RecordingWriter?
    /// Stops reading the stream; nil if none is read.
    var endFeed: (@Sendable () async -> Void)?
}

extension ServeCommand {
    /// Opens the database for writing, and starts reading the stream of `--from`.
    func open(_ policy: CachePolicy, _ settings: ServingSettings) async throws -> OpenedCache {
        var configuration = try session.configuration(policy, stream, limits, indexes)
        configuration.limits.observerCountMax = settings.subscriptionCountMax
        configuration.limits.lineByteCountMax = settings.lineByteCountMax
        configuration.keptEventByteCountMax = KeptEvents.servedByteCountMax
        let rules = try schema.rules(
            policy: policy, policyText: try policyInForce.text(), typeAliases: configuration.typeAliases)
        configuration.mergedTypes = rules.identity.mergedTypes
        let clock = SystemClock()
        let journal = try await database.openJournal()
        let disturbance = NetworkDisturbance()
        let transport = DisturbedTransport(http.transport(nil), disturbance, clock: clock)
        let server = try serverUpstream(limits: configuration.limits, transport)
        let upstream = try eventUpstream(configuration) ?? server
        let recorder = try await Recorder.begin(
            recording, command: "serve", configuration, journal: journal, hasUpstream: upstream != nil,
            policy: try policyInForce.text(), clock: clock)
        let found = await journal.openingReport
        let cache = try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: upstream, queryUpstream: server, clock: clock,
            recorder: recorder)
        try await EngineStart.reportRebuilt(database.path, journal, found: found, recorder, to: Output.errors())
        await journal.limitHTTP(http.limits)
        let graphUpstream = try graph(transport, clock)
        let write = endpoint.write
        await cache.attach { GraphQLEngine(rules: rules, upstream: graphUpstream, write: write) }
        try await ViewEngine.attach(to: cache)
        var session = Session.Settings(
            limits: configuration.limits, defaultLibrary: configuration.defaultLibrary, logger: configuration.logger)
        session.families = [
            GraphQLMethods(), ViewMethods(), NetworkMethods(disturbance),
            HTTPMethods(HTTPClient(cache, transport: transport, defaults: try http.defaults())),
        ]
        session.sendsEdits = false
        return OpenedCache(
            cache: cache, session: session, recorder: recorder, endFeed: try feed(cache, configuration.logger))
    }

    private func eventUpstream(_ configuration: CacheConfiguration) throws -> (any Upstream)? {
        switch upstream {
        case nil: try stream.address.map { JetStreamUpstream($0, numbering: stream.numbering) }
        case .log(let address):
            try address.open(defaultLibrary: configuration.defaultLibrary, limits: configuration.limits)
        case .nobody, .server: nil
        }
    }

    /// Returns the JSON-RPC server of `--upstream`; nil for any other upstream.
    func serverUpstream(limits: Limits, _ transport: any HTTPTransport) throws -> ServerUpstream? {
        guard case .server(let address) = upstream else {
            if !upstreamHeaders.isEmpty {
                throw ValidationError("--upstream-header is for --upstream http://… or https://….")
            }
            return nil
        }
        let url: HTTPURL
        do throws(HTTPURL.Fault) {
            url = try HTTPURL(ByteString(address))
        } catch {
            throw ValidationError("--upstream: \(error).")
        }
        return ServerUpstream(
            url, fields: try EndpointOptions.fields(upstreamHeaders, option: "--upstream"),
            timeout: session.fetchDuration, transport: transport, limits: limits)
    }

    private func graph(_ transport: any HTTPTransport, _ clock: any CacheClock) throws -> (any GraphQLUpstream)? {
        try endpoint.server(timeout: session.fetchDuration).map { server in
            GraphQLHTTPUpstream(server, transport: try endpoint.transport(transport), clock: clock)
        }
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

/// Closes a served cache once: the first caller closes it, the others wait for that.
actor ServeEnding {
    private let opened: OpenedCache
    private var ending: Task<Failure?, Never>?

    init(_ opened: OpenedCache) {
        self.opened = opened
    }

    /// Closes the cache.
    ///
    /// - Returns: Why the last changes could not be written; nil if they were.
    @discardableResult
    func end() async -> Failure? {
        let task = ending ?? Task { [opened] in await ServeEnding.close(opened) }
        ending = task
        return await task.value
    }

    private static func close(_ opened: OpenedCache) async -> Failure? {
        await opened.endFeed?()
        for family in opened.session.families { await family.close() }
        do throws(StorageError) {
            try await opened.cache.close()
        } catch {
            await opened.recorder?.finish("the server failed: \(error)")
            return Failure(error, isReader: false)
        }
        await opened.recorder?.finish("the server ended")
        return nil
    }
}

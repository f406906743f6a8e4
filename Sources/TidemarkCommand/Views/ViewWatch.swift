import Logging
import Tidemark
import TidemarkJSON
import TidemarkJetStream
import TidemarkLiveViews
import TidemarkMessages
import TidemarkModel
import TidemarkSQLite
import TidemarkSession

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Prints a view and every change of it, while the lines of a session are applied.
///
/// A session reads the input as `tidemark run` does, so lines may also be requests; its answers are not printed. The
/// printing has a task of its own, so that a slow terminal does not delay the input.
struct ViewWatch {
    let database: DatabaseOptions
    let request: ViewRequest
    /// The library of events and requests that name none.
    let defaultLibrary: ByteString
    let stream: StreamOptions
    /// True to print a line of JSON for the result and each change, false to draw a table anew.
    let printsLines: Bool

    /// Prints until the input ends, a signal arrives, nobody reads the output, or the view ends.
    func run() async throws {
        let input: DescriptorInput
        do throws(InputError) {
            input = try DescriptorInput(STDIN_FILENO)
        } catch {
            throw EngineStart.failure(error)
        }
        let stop: @Sendable () -> Void = { input.stop() }
        let sink = WatchSink(hasEnded: stop)
        let silence = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { _ = close(silence) }
        let cache = try await openCache()
        do {
            let reply = try await observe(sink, in: cache)
            // From here on a signal ends the input, and with it the session, which closes the cache.
            let signals = SignalWatch(stop)
            defer { signals.end() }
            let printing = Task { await show(reply, sink, cache, stop) }
            try await serve(input, cache, silence) {
                await cache.deliverAll(to: sink)
                sink.finish()
                _ = await printing.value
            }
            try await printing.value.get()
        } catch let error as InputError {
            throw EngineStart.failure(error)
        }
        if let end = sink.end { try reportEnd(end) }
    }

    private var configuration: CacheConfiguration {
        var configuration = CacheConfiguration()
        configuration.defaultLibrary = defaultLibrary
        configuration.flush = .interactive
        if stream.from != nil {
            configuration.flush.byteCountMax = min(
                configuration.flush.byteCountMax, JetStreamFeed.unwrittenByteCountMax)
        }
        return configuration
    }

    private func openCache() async throws -> SyncCache {
        let journal = try await database.openJournal()
        let found = await journal.openingReport
        let upstream = try stream.address.map { JetStreamUpstream($0, numbering: stream.numbering) }
        let cache = try await SyncCache.open(configuration: configuration, journal: journal, upstream: upstream)
        try await EngineStart.reportRebuilt(database.path, journal, found: found, nil, to: Output.errors())
        return cache
    }

    private func observe(_ sink: WatchSink, in cache: SyncCache) async throws -> ViewReply {
        do throws(CacheError) {
            try await ViewEngine.attach(to: cache)
            return try await ViewEngine.observe(request, sink: sink, in: cache)
        } catch {
            try await cache.close()
            throw Failure(view: error)
        }
    }

    // MARK: The session

    /// Applies the input to its end and closes the cache.
    ///
    /// - Parameter atEnd: Called when everything is applied and before the cache is closed.
    private func serve(
        _ input: DescriptorInput, _ cache: SyncCache, _ silence: Int32, atEnd: @escaping @Sendable () async -> Void
    ) async throws {
        let configuration = configuration
        let (room, roomSignal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let queue = OutputQueue(silence, hasRoom: { roomSignal.yield() }, isAbandoned: {})
        let calls = HostCalls(queue, timeout: .seconds(1), clock: SystemClock(), logger: configuration.logger)
        var settings = Session.Settings(
            limits: configuration.limits, defaultLibrary: defaultLibrary, logger: configuration.logger)
        settings.families = [ViewMethods(), EndOfWatch(atEnd: atEnd)]
        settings.sendsEdits = false
        let feeding = try feed(cache, stop: { input.stop() })
        settings.beforeEnd = { await feeding?() }
        let session = Session(of: cache, outputQueue: queue, calls: calls, settings: settings)
        try await session.run(input, room: room)
    }

    /// Starts reading the stream of `--from` into the cache.
    ///
    /// - Returns: A function that stops reading, and returns once all that was read is applied; nil without `--from`.
    private func feed(
        _ cache: SyncCache, stop: @escaping @Sendable () -> Void
    ) throws -> (@Sendable () async -> Void)? {
        guard let address = try stream.address else { return nil }
        let logger = configuration.logger
        let feed = JetStreamFeed(address, settings: stream.settings, logger: logger)
        let task = Task {
            do {
                try await feed.run(into: cache)
            } catch {
                logger.error("the stream is not read any more: \(error)")
                stop()
            }
        }
        return {
            feed.stop()
            await task.value
        }
    }

    // MARK: Printing

    private func show(
        _ reply: ViewReply, _ sink: WatchSink, _ cache: SyncCache, _ stop: @Sendable () -> Void
    ) async -> Result<Void, Failure> {
        let output = Output.standard()
        do throws(Failure) {
            if printsLines { try output.writeLine(reply.json) } else { try draw(reply, output) }
            try output.flush()
            for await _ in sink.signals {
                let lines = sink.takeLines()
                if printsLines {
                    for line in lines { try output.writeLine(line) }
                } else if !lines.isEmpty, sink.end == nil {
                    try draw(try await read(cache), output)
                }
                try output.flush()
                if output.isClosed { stop() }
                await cache.resume(sink)
            }
            return .success(())
        } catch {
            stop()
            return .failure(error)
        }
    }

    private func read(_ cache: SyncCache) async throws(Failure) -> ViewReply {
        do throws(CacheError) {
            return try await ViewEngine.read(request, in: cache)
        } catch {
            throw Failure(view: error)
        }
    }

    private func draw(_ reply: ViewReply, _ output: Output) throws(Failure) {
        // To the upper left corner, and everything below it erased.
        try output.write("\u{1B}[H\u{1B}[2J".utf8)
        try ViewReadCommand.write(reply.rows, to: output)
        var notes: [String] = []
        if reply.hasTotal { notes.append("\(HumanText.count(reply.total, "row")) in all") }
        if let asOf = reply.status.asOf { notes.append("as of sequence \(asOf.rawValue)") }
        if reply.status.isStale { notes.append("stale") }
        if reply.status.isPending { notes.append("with pending edits") }
        if reply.missing > 0 {
            notes.append("\(HumanText.count(reply.missing, "entity", "entities")) not in the cache")
        }
        if !notes.isEmpty { try output.writeLine(output.style.paint(notes.joined(separator: ", "), .dim)) }
    }

    private func reportEnd(_ params: [UInt8]) throws(Failure) {
        var reason: String?
        do throws(JSONSyntaxError) {
            reason = try JSONValue(parsing: params).members?.first { $0.name == "reason" }?.value.string
        } catch {
            preconditionFailure("the cache wrote \(error)")
        }
        guard reason != "limit_exceeded" else {
            throw Failure(
                .usage, "limit_exceeded", "the result has too many rows", outcome: "the watch ended",
                advice: "pass --limit")
        }
        let errors = Output.errors()
        try errors.writeLine("note: the view was \(reason ?? "ended"), and the watch ended")
        try errors.flush()
    }
}

/// A family without methods, which learns when the last line was applied.
private struct EndOfWatch: MethodFamily {
    let atEnd: @Sendable () async -> Void

    var methods: [SessionMethod] { [] }

    func close() async { await atEnd() }
}

extension Failure {
    /// The failure of a request about a view.
    init(view error: CacheError) {
        switch error.code {
        case .notFound:
            self.init(
                .noInput, "not_found", error.message, outcome: "nothing was done",
                advice: "tidemark view list has the names")
        case .invalidParams:
            self.init(
                .usage, "invalid_params", error.message, outcome: "nothing was done",
                advice: "see Protocol/views.md")
        case .limitExceeded:
            self.init(
                .usage, "limit_exceeded", error.message, outcome: "nothing was done",
                advice: "ask for less, or for fewer types")
        default:
            self.init(
                .inputOutput, "input_output", error.message, outcome: "the command did not finish",
                advice: "look at the disk, and try again")
        }
    }
}

import Logging
import Tidemark
import TidemarkGraphQL
import TidemarkHTTP
import TidemarkLiveViews
import TidemarkMessages
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSession

/// A session over two pipes, on a journal in memory and a clock that the test moves.
final class SessionFixture: Sendable {
    let input = PipeLines()
    let output = PipeLines()
    let clock: ManualClock
    let outputQueue: OutputQueue
    let calls: HostCalls
    let cache: SyncCache
    private let running: Task<Void, any Error>

    /// - Parameter skipsUpTo: The length in milliseconds up to which pauses of the cache take no time.
    init(
        skipsUpTo: Int64 = 0, timeout: Int64 = 30_000, journal: MemoryJournal = MemoryJournal(),
        asksBeforeEvict: Bool = false, _ change: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws {
        let clock = ManualClock(skipsUpTo: skipsUpTo)
        self.clock = clock
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        change(&configuration)
        let (room, roomSignal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let source = try DescriptorInput(input.readEnd)
        // The bounds are a sixteenth of the defaults, because a debug build moves megabytes slowly.
        var bounds = OutputQueue.Bounds()
        bounds.notificationByteCountMax = 64 << 10
        bounds.answerByteCountMax = 1 << 20
        let outputQueue = OutputQueue(
            output.writeEnd, bounds: bounds, hasRoom: { roomSignal.yield() }, isAbandoned: { source.stop() })
        self.outputQueue = outputQueue
        calls = HostCalls(outputQueue, timeout: .milliseconds(timeout), clock: clock, logger: configuration.logger)
        let host = HostUpstream(calls, limits: configuration.limits)
        if asksBeforeEvict { configuration.eviction.willEvict = { check in await host.mayEvict(check) } }
        cache = try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: host, queryUpstream: host, clock: clock)
        var settings = Session.Settings(
            limits: configuration.limits, defaultLibrary: "", logger: configuration.logger)
        settings.families = [GraphQLMethods(), ViewMethods(), NetworkMethods(nil), HTTPMethods(nil)]
        settings.aheadByteCountMax = 1 << 20
        let session = Session(of: cache, outputQueue: outputQueue, calls: calls, settings: settings)
        let output = output
        running = Task {
            defer { output.closeWriting() }
            try await session.run(source, room: room)
        }
    }

    func send(_ lines: String...) { input.write(lines.map { $0 + "\n" }.joined()) }

    /// Ends the input and waits for the session's end.
    func finish() async throws {
        input.closeWriting()
        try await running.value
    }

    /// Waits for a session that ends by itself.
    func end() async throws { try await running.value }

    static func change(_ sequence: Int64, _ id: String = "x", library: String = "a") -> String {
        EventLine.change(#"{"id":"\#(id)","n":\#(sequence)}"#, library: library, sequence: sequence)
    }

    static func request(_ id: Int, _ method: String, _ params: String = "{}") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
    }
}

/// The lines of a session, except notifications about libraries.
struct SessionLines {
    private var lines: AsyncStream<String>.Iterator

    init(_ pipe: PipeLines) {
        lines = pipe.lines().makeAsyncIterator()
    }

    mutating func next() async -> String? {
        while let line = await lines.next() {
            if line.contains(#""method":"durable""#) || line.contains(#""method":"library.state""#) { continue }
            return line
        }
        return nil
    }

    mutating func rest() async -> [String] {
        var rest: [String] = []
        while let line = await next() { rest.append(line) }
        return rest
    }
}

import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSession

/// All streams of a server, each with its session.
///
/// At most ``ServerLimits/streamCountMax``. A stream without a connection is kept for ``ServerLimits/resumeTimeout``;
/// when a new stream finds no room, the stream that has been disconnected longest is ended.
final class StreamHub: ObserverSink {
    private struct Entry {
        var stream: NotificationStream
        var session: Session
        /// When the last connection ended, in milliseconds; nil while connected.
        var cutAt: Int64?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var isOver = false
    }

    private let cache: SyncCache
    private let limits: ServerLimits
    private let clock: any CacheClock
    private let makeSession: @Sendable (NotificationStream) -> Session
    private let state = Mutex(State())
    private let answers: StreamAnswers

    /// Creates a hub without streams.
    ///
    /// - Parameter makeSession: Creates the session that performs a stream's requests.
    init(
        _ cache: SyncCache, limits: ServerLimits, clock: any CacheClock,
        makeSession: @escaping @Sendable (NotificationStream) -> Session
    ) {
        self.cache = cache
        self.limits = limits
        answers = StreamAnswers(limits)
        self.clock = clock
        self.makeSession = makeSession
    }

    /// How many streams there are, and how many of them are connected.
    var counts: (all: Int, connected: Int) {
        state.withLock { state in (state.entries.count, state.entries.values.count { $0.cutAt == nil }) }
    }

    /// Starts notifying every stream of library states, durable positions and outbox changes.
    ///
    /// - Parameter mutations: The server that performs the requests of pending edits; nil if there is none.
    func begin(_ mutations: (any MutationUpstream)?) async {
        await cache.observeLibraries(self)
        await cache.observeDurability { [weak self] places in
            for place in places { self?.tellAll(KeptNotifications.Notification(durable: place)) }
        }
        await cache.startOutbox(mutations, timeout: nil) { [weak self] status in
            self?.tellAll(KeptNotifications.Notification(outbox: status))
        }
    }

    // MARK: Everybody's notifications

    func offer(_ notification: CacheNotification) -> Bool {
        if case .library(let status) = notification { tellAll(KeptNotifications.Notification(library: status)) }
        return true
    }

    func deliver(_ notification: CacheNotification) { _ = offer(notification) }

    private func tellAll(_ notification: KeptNotifications.Notification) {
        for entry in state.withLock({ $0.entries.values.map(\.stream) }) { entry.keepNewest(notification) }
    }

    /// Sends every stream the result of an edit, after the changes that the edit made. Called within the cache's actor.
    func tellAll(result line: [UInt8]) {
        for stream in state.withLock({ $0.entries.values.map(\.stream) }) {
            cache.assumeIsolated { $0.deliverAll(to: stream) }
            stream.append(answer: line)
        }
    }

    // MARK: Streams

    /// A stream and the number of its new connection.
    struct Connected: Sendable {
        var stream: NotificationStream
        var connection: Int
        /// The name of the stream that could not be resumed; nil if none was requested, or it was resumed.
        var gone: String?
    }

    /// Resumes a stream, or creates one.
    ///
    /// - Parameters:
    ///   - id: The stream to resume; nil creates one.
    ///   - last: The number of the last line that the client has seen.
    /// - Throws: ``Refusal`` when there is no room, or the server is stopping.
    func connect(to id: String?, after last: Int64) async throws(Refusal) -> Connected {
        if let id, let resumed = resume(id, after: last) { return resumed }
        if let id { await remove(id) }
        let stream = NotificationStream(id: StreamHub.newID(), limits: limits, answers: answers)
        let entry = Entry(stream: stream, session: makeSession(stream))
        guard let connection = stream.attach(after: 0) else { preconditionFailure("a new stream has lost lines") }
        let (refusal, displaced) = add(entry)
        share()
        if let displaced { await end(displaced, .gone) }
        if let refusal { throw refusal }
        return Connected(stream: stream, connection: connection, gone: id)
    }

    private func resume(_ id: String, after last: Int64) -> Connected? {
        let now = clock.now()
        return state.withLock { state in
            guard let entry = state.entries[id],
                entry.cutAt.map({ now - $0 < limits.resumeTimeout.wholeMilliseconds }) ?? true,
                let connection = entry.stream.attach(after: last)
            else { return nil }
            state.entries[id]?.cutAt = nil
            return Connected(stream: entry.stream, connection: connection, gone: nil)
        }
    }

    /// Adds a stream. If there is no room, it displaces the stream that was disconnected first.
    ///
    /// - Returns: Why there is no room, or nil; and the stream that was displaced, if any.
    private func add(_ entry: Entry) -> (Refusal?, Entry?) {
        state.withLock { state in
            if state.isOver { return (Refusal(.shuttingDown, "the server stops: connect again when it is back"), nil) }
            var displaced: Entry?
            if state.entries.count >= limits.streamCountMax {
                let cut = state.entries.values.filter { $0.cutAt != nil }
                guard let oldest = cut.min(by: { ($0.cutAt ?? 0) < ($1.cutAt ?? 0) }) else {
                    let message = "there are \(limits.streamCountMax) streams: close one, or pass --max-streams"
                    return (Refusal(.tooManyStreams, message), nil)
                }
                displaced = state.entries.removeValue(forKey: oldest.stream.id)
            }
            state.entries[entry.stream.id] = entry
            return (nil, displaced)
        }
    }

    /// The size of all lines of all streams in memory.
    var byteCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.stream.byteCount } } }

    /// Divides the common budget equally after the number of streams changed.
    ///
    /// - Complexity: O(streams + released lines).
    private func share() {
        let streams = state.withLock { $0.entries.values.map(\.stream) }
        let share = limits.shared(among: streams.count)
        for stream in streams { stream.limit(share) }
    }

    /// Records that a connection ended; its stream can be resumed for ``ServerLimits/resumeTimeout``.
    func disconnect(_ connected: Connected) {
        let now = clock.now()
        // In one critical section: the client may reconnect in between.
        state.withLock { state in
            if connected.stream.detach(connected.connection) { state.entries[connected.stream.id]?.cutAt = now }
        }
    }

    /// Disconnects a stream's connection when released, because a response that is never written is dropped silently.
    final class Lease: Sendable {
        private let hub: StreamHub
        let connected: Connected

        init(_ hub: StreamHub, _ connected: Connected) {
            self.hub = hub
            self.connected = connected
        }

        deinit { hub.disconnect(connected) }
    }

    /// Returns the session of a stream; nil if there is no such stream.
    func session(of id: String) -> (session: Session, stream: NotificationStream)? {
        state.withLock { state in state.entries[id].map { ($0.session, $0.stream) } }
    }

    private func remove(_ id: String) async {
        guard let entry = state.withLock({ $0.entries.removeValue(forKey: id) }) else { return }
        await end(entry, .gone)
    }

    private func end(_ entry: Entry, _ end: StreamState.End) async {
        entry.stream.finish(end)
        await entry.session.endSubscriptions()
    }

    // MARK: Time

    /// Sends comments on idle streams and ends streams that were cut too long ago, until the task is cancelled.
    func run() async {
        let commentInterval = limits.commentInterval.wholeMilliseconds
        let pause = max(1, min(commentInterval, limits.resumeTimeout.wholeMilliseconds / 12, 5_000))
        var commentedAt = clock.now()
        while true {
            do throws(CancellationError) {
                try await clock.sleep(milliseconds: pause)
            } catch {
                return
            }
            let now = clock.now()
            await endCut(now)
            guard now - commentedAt + pause > commentInterval else { continue }
            commentedAt = now
            for stream in state.withLock({ $0.entries.values.map(\.stream) }) { stream.requestComment() }
        }
    }

    private func endCut(_ now: Int64) async {
        let ended = state.withLock { state in
            let ended = state.entries.values.filter { entry in
                entry.stream.isOver || entry.cutAt.map { now - $0 >= limits.resumeTimeout.wholeMilliseconds } ?? false
            }
            for entry in ended { state.entries[entry.stream.id] = nil }
            return ended
        }
        guard !ended.isEmpty else { return }
        for entry in ended { await end(entry, .gone) }
        share()
        // The lines were freed, but the process would otherwise keep their pages.
        cache.trimHeap()
    }

    /// Ends all streams with `bye`, and refuses new ones.
    func shutDown() async {
        let entries = state.withLock { state in
            state.isOver = true
            defer { state.entries = [:] }
            return Array(state.entries.values)
        }
        for entry in entries { await end(entry, .bye) }
        await cache.detach(self)
    }

    private static func newID() -> String {
        String(AccessToken().text.prefix(32))
    }
}

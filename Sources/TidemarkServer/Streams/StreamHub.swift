import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSession

/// All streams of a server, with the session of each.
///
/// Bounded by ``ServerLimits/streamCountMax``. A stream without a connection is kept for
/// ``ServerLimits/resumeTimeout``; when a new one finds no room, the one that was cut first makes room.
final class StreamHub: ObserverSink {
    private struct Entry {
        var stream: NotificationStream
        var session: Session
        /// The time when the last connection ended, in milliseconds; nil while there is one.
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

    /// - Parameter makeSession: Makes the session that serves the requests of a stream.
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

    /// The streams, and those of them that have a connection.
    var counts: (all: Int, connected: Int) {
        state.withLock { state in (state.entries.count, state.entries.values.count { $0.cutAt == nil }) }
    }

    /// Begins to tell every stream of libraries and durable positions.
    ///
    /// - Parameter mutations: The server that performs the requests of pending edits; nil: nobody does.
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

    /// Notifies every stream of the result of an edit, after the changes that it made. Called within the cache's actor.
    func tellAll(result line: [UInt8]) {
        for stream in state.withLock({ $0.entries.values.map(\.stream) }) {
            cache.assumeIsolated { $0.deliverAll(to: stream) }
            stream.append(answer: line)
        }
    }

    // MARK: Streams

    /// A stream with the connection that was made for it.
    struct Connected: Sendable {
        var stream: NotificationStream
        var connection: Int
        /// The stream that could not be resumed; nil when none was asked for, or when it was resumed.
        var gone: String?
    }

    /// Resumes a stream, or makes one.
    ///
    /// - Parameters:
    ///   - id: The stream to resume; nil: none.
    ///   - last: The number of the last line that the client has seen.
    /// - Throws: ``Refusal`` when there is no room, or the server stops.
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
            guard let entry = state.entries[id], entry.cutAt.map({ now - $0 < limits.resumeTimeout }) ?? true,
                let connection = entry.stream.attach(after: last)
            else { return nil }
            state.entries[id]?.cutAt = nil
            return Connected(stream: entry.stream, connection: connection, gone: nil)
        }
    }

    /// - Returns: Why there is no room; the stream that made room.
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

    /// The bytes that all streams keep and have waiting.
    var byteCount: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.stream.byteCount } } }

    /// Divides what all streams may take among them, after their number changed.
    ///
    /// - Complexity: O(streams + lines that are released).
    private func share() {
        let streams = state.withLock { $0.entries.values.map(\.stream) }
        let share = limits.shared(among: streams.count)
        for stream in streams { stream.limit(share) }
    }

    /// Notes that a connection is over; its stream may be resumed for a while.
    func disconnect(_ connected: Connected) {
        let now = clock.now()
        // Both in one step: the client may come back between them.
        state.withLock { state in
            if connected.stream.detach(connected.connection) { state.entries[connected.stream.id]?.cutAt = now }
        }
    }

    /// The end of a connection, at the latest when nobody holds this any more: an answer that is never written is
    /// dropped without a word.
    final class Lease: Sendable {
        private let hub: StreamHub
        let connected: Connected

        init(_ hub: StreamHub, _ connected: Connected) {
            self.hub = hub
            self.connected = connected
        }

        deinit { hub.disconnect(connected) }
    }

    /// Returns the session of a stream; nil when there is no such stream.
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

    /// Sends comments on idle streams and ends those that were cut too long ago, until the task is cancelled.
    func run() async {
        let pause = max(1, min(limits.commentInterval, limits.resumeTimeout / 12, 5_000))
        var commentedAt = clock.now()
        while true {
            do throws(CancellationError) {
                try await clock.sleep(milliseconds: pause)
            } catch {
                return
            }
            let now = clock.now()
            await endCut(now)
            guard now - commentedAt + pause > limits.commentInterval else { continue }
            commentedAt = now
            for stream in state.withLock({ $0.entries.values.map(\.stream) }) { stream.requestComment() }
        }
    }

    private func endCut(_ now: Int64) async {
        let ended = state.withLock { state in
            let ended = state.entries.values.filter { entry in
                entry.stream.isOver || entry.cutAt.map { now - $0 >= limits.resumeTimeout } ?? false
            }
            for entry in ended { state.entries[entry.stream.id] = nil }
            return ended
        }
        guard !ended.isEmpty else { return }
        for entry in ended { await end(entry, .gone) }
        share()
        // Their lines are freed; the process would hold on to the pages for as long as it runs.
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

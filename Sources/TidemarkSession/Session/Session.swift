import Logging
import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// Serves one host, which feeds a cache and sends it requests, line by line.
///
/// A session over standard input and output gets its lines from ``run(_:room:)``. A session without an input of its own
/// answers single messages:
///
/// ```swift
/// let output = OutputQueue(1, hasRoom: {}, isAbandoned: {})
/// let settings = Session.Settings(
///     limits: cache.configuration.limits, defaultLibrary: "", logger: cache.configuration.logger)
/// let session = Session(of: cache, output: output, waiting: WaitingRequests(), settings: settings)
/// let request = #"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"#
/// let answer = await session.answer(to: Array(request.utf8))
/// print(String(decoding: answer ?? [], as: UTF8.self))
/// ```
///
/// - Source: Protocol/sessions.md.
package final class Session: Sendable {
    /// The settings of a session, fixed while it runs.
    package struct Settings: Sendable {
        /// Limits on lines, ids, types and counts.
        package var limits: Limits
        /// The library of requests that name none.
        package var defaultLibrary: ByteString
        /// How many bytes to read ahead while waiting for the host's answer: 16 MiB, the same as one line.
        package var aheadByteCountMax = 16 << 20
        /// Receives the session's log.
        package var logger: Logger
        /// The families of methods besides those of the session itself, which are about entities, queries, edits and
        /// inspection. No two families may have a method of the same name.
        package var families: [any MethodFamily] = []
        /// Called after the host's input has ended and before the cache is closed, to end other sources of events.
        package var beforeEnd: @Sendable () async -> Void = {}
        /// True to send the requests of pending edits to the host.
        package var sendsEdits = true
        /// True if another process writes the database: methods that change or observe are refused.
        package var isReadOnly = false

        /// Creates settings; everything else has a default.
        package init(limits: Limits, defaultLibrary: ByteString, logger: Logger) {
            self.limits = limits
            self.defaultLibrary = defaultLibrary
            self.logger = logger
        }
    }

    /// What the methods work with.
    let context: SessionContext
    let methods: MethodTable
    /// The families of ``Settings/families``.
    let guests: [any MethodFamily]
    private let aheadByteCountMax: Int
    private let beforeEnd: @Sendable () async -> Void
    private let sendsEdits: Bool
    let isReadOnly: Bool

    /// Creates a session with a host.
    ///
    /// - Parameters:
    ///   - cache: A cache opened for this session, which closes it.
    ///   - outputQueue: A queue whose `hasRoom` yields to the `room` of ``run(_:room:)``, and whose `isAbandoned` stops
    ///     the input.
    ///   - calls: The calls to the host, which the cache's upstream uses too.
    ///   - settings: The settings, fixed while the session runs.
    package convenience init(of cache: SyncCache, outputQueue: OutputQueue, calls: HostCalls, settings: Settings) {
        self.init(of: cache, output: outputQueue, calls: calls, waiting: WaitingRequests(), settings: settings)
    }

    /// Creates a session without an input of its own: pass each message to ``answer(to:)``.
    ///
    /// - Parameters:
    ///   - cache: A cache that the caller closes.
    ///   - output: Receives notifications.
    ///   - waiting: The waiting requests of all sessions that share one bound.
    ///   - settings: The settings, fixed while the session runs.
    package convenience init(
        of cache: SyncCache, output: any SessionOutput, waiting: WaitingRequests, settings: Settings
    ) {
        self.init(of: cache, output: output, calls: nil, waiting: waiting, settings: settings)
    }

    private init(
        of cache: SyncCache, output: any SessionOutput, calls: HostCalls?, waiting: WaitingRequests,
        settings: Settings
    ) {
        context = SessionContext(
            cache: cache, output: output, calls: calls, waiting: waiting,
            reader: RequestReader(
                limits: settings.limits, defaultLibrary: settings.defaultLibrary, isStrict: true),
            logger: settings.logger)
        guests = settings.families
        let families: [any MethodFamily] =
            [
                EntityMethods(clearings: guests.compactMap(\.clearing)), QueryMethods(), LayerMethods(),
                OutboxMethods(), InspectionMethods(),
            ] + guests
        methods = MethodTable(families + [ControlMethods(families: families)])
        aheadByteCountMax = settings.aheadByteCountMax
        beforeEnd = settings.beforeEnd
        sendsEdits = settings.sendsEdits
        isReadOnly = settings.isReadOnly
    }

    var cache: SyncCache { context.cache }
    var output: any SessionOutput { context.output }
    var waiting: WaitingRequests { context.waiting }

    /// Reads the input to its end, finishes all pending work, closes the cache and writes all remaining lines.
    ///
    /// - Parameters:
    ///   - input: The host's lines.
    ///   - room: Yields whenever the output queue has room for notifications again.
    /// - Throws: ``InputError`` or ``StorageError``, after finishing everything that can be finished.
    package func run(_ input: any LineInput, room: AsyncStream<Void>) async throws {
        guard let outputQueue = output as? OutputQueue, let calls = context.calls else {
            preconditionFailure("a session without a host of its own has no input to run")
        }
        await cache.observeLibraries(outputQueue)
        await cache.observeDurability { [outputQueue] places in outputQueue.notifyDurable(places) }
        await cache.startOutbox(await mutationUpstream(), timeout: nil) { [outputQueue] status in
            outputQueue.notifyOutbox(status)
        }
        let resuming = Task { [cache] in
            for await _ in room { await cache.resume(outputQueue) }
        }
        var failure: (any Error)?
        do {
            let stream = try await IngestStream(of: input, into: cache)
            do {
                try await read(stream, calls)
            } catch {
                failure = error
            }
            try await finish(stream, outputQueue, calls)
        } catch {
            failure = failure ?? error
        }
        resuming.cancel()
        await outputQueue.drain()
        if let failure { throw failure }
    }

    /// Returns where to send the requests of pending edits; nil if nothing is sent.
    package func mutationUpstream() async -> (any MutationUpstream)? {
        var upstream: (any MutationUpstream)?
        if sendsEdits, let calls = context.calls { upstream = HostMutations(calls, reader: context.reader) }
        for family in guests { upstream = await family.mutationUpstream(over: upstream, in: context) }
        return upstream
    }

    private func read(_ stream: IngestStream, _ calls: HostCalls) async throws {
        var ahead = ReadAhead(stream, byteCountMax: aheadByteCountMax)
        while let batch = try await ahead.next() {
            var done = 0
            for (index, event) in batch.events.enumerated() where Session.concernsSession(event) {
                if done < index { try await ingest(batch, done..<index, &ahead, calls) }
                done = index
                await admit(event, of: batch, stream.input)
            }
            try await ingest(batch, done..<batch.events.count, &ahead, calls)
        }
    }

    /// Applies events. If too many are held until an upstream answers, reads later lines ahead and takes only the
    /// host's answers from them, because the awaited one may be among them.
    private func ingest(
        _ batch: EventBatch, _ events: Range<Int>, _ ahead: inout ReadAhead, _ calls: HostCalls
    ) async throws {
        try await cache.ingest(batch, events: events)
        guard await cache.isWaitingForUpstream else { return }
        try await ahead.read(until: { [cache] in await cache.waitForUpstream() }, calls: calls) { batch in
            for event in batch.events where event.kind == .message {
                admitAnswers(JSONSlice(validated: batch.text(of: event)))
            }
        }
    }

    /// Returns true if an event is a message, or a line that may have been meant as one.
    private static func concernsSession(_ event: ChangeEvent) -> Bool {
        switch event.kind {
        case .message: return true
        case .unusable:
            switch event.reason {
            case .notJSON, .invalidUTF8, .tooLong, .tooDeep: return true
            default: return false
            }
        default: return false
        }
    }

    private func admit(_ event: ChangeEvent, of batch: EventBatch, _ input: InputID) async {
        let line = batch.text(of: event)
        let number = batch.firstLine + Int64(event.line)
        if event.kind == .message {
            await admit(
                JSONSlice(validated: line), to: output, LinePlace(input: input, line: number))
        } else if line.holds(Session.versionName) {
            let reason = event.reason?.code ?? "not_json"
            let error = MessageError.parse(
                "line \(number) cannot be read (\(reason)) and is in quarantine: send one JSON value a line")
            await answer(.failure(error), Responder(id: Message.nullID, target: .line(output)))
        }
    }

    /// Text that every message contains, and broken event lines do not.
    private static let versionName = Array("\"jsonrpc\"".utf8)

    /// Finishes pending work after the input has ended.
    private func finish(
        _ stream: IngestStream, _ outputQueue: OutputQueue, _ calls: HostCalls
    ) async throws(StorageError) {
        outputQueue.letThrough()
        await cache.stopOutbox()
        calls.close()
        await beforeEnd()
        await cache.drainOutbox()
        var failure: StorageError?
        do throws(StorageError) {
            try await stream.finish()
        } catch {
            failure = error
        }
        for (number, library) in waiting.caughtUps {
            let status = await cache.status(of: library)
            await cache.deliverAll(to: outputQueue)
            waiting.finish(number) { $0.answer(.success(Answer.place(status))) }
        }
        await waiting.waitUntilEmpty()
        for family in guests { await family.close() }
        await cache.deliverAll(to: outputQueue)
        await cache.detach(outputQueue)
        do throws(StorageError) {
            try await cache.close()
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
    }
}

extension ArraySlice<UInt8> {
    /// Returns true if the bytes occur in a row.
    ///
    /// - Complexity: O(count · bytes.count), in practice O(count).
    fileprivate func holds(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return true }
        var rest = self
        while let index = rest.firstIndex(of: first) {
            if rest[index...].starts(with: bytes) { return true }
            rest = rest[(index + 1)...]
        }
        return false
    }
}

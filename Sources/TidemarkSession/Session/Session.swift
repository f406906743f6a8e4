import Logging
import Tidemark
import TidemarkHTTP
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkStore

/// A session of one host that feeds a cache and sends it requests, line by line.
///
/// ```swift
/// let session = Session(of: cache, outputQueue: outputQueue, calls: calls, settings: settings)
/// try await session.run(input)
/// ```
///
/// - Source: Protocol/sessions.md.
package final class Session: Sendable {
    /// The settings of a session; they do not change while it runs.
    package struct Settings: Sendable {
        package var limits: Limits
        /// The library of events and requests that name none.
        package var defaultLibrary: ByteString
        /// The bytes that are read ahead while the host owes an answer: 16 MiB, as much as one line.
        package var aheadByteCountMax = 16 << 20
        package var logger: Logger
        /// The client for HTTP; nil: methods of HTTP are refused.
        package var http: HTTPClient?
        /// The faults of the network that the cache's requests go through; nil: it sends none of its own.
        package var disturbance: NetworkDisturbance?
        /// Called when the host's input has ended, before the cache is closed: other sources of events end here.
        package var beforeEnd: @Sendable () async -> Void = {}
        /// Whether the host is asked to send the requests of pending edits.
        package var sendsEdits = true
        /// Whether another process writes the database: methods that change or observe are refused.
        package var isReadOnly = false

        /// Makes settings with the values that have no default.
        package init(limits: Limits, defaultLibrary: ByteString, logger: Logger) {
            self.limits = limits
            self.defaultLibrary = defaultLibrary
            self.logger = logger
        }
    }

    let cache: SyncCache
    /// The receiver of notifications and of late answers.
    let outputQueue: any SessionOutput
    /// The calls to the host; nil where there is no host that could be asked.
    let calls: HostCalls?
    let waiting: WaitingRequests
    let reader: MethodReader
    let logger: Logger
    let http: HTTPClient?
    let disturbance: NetworkDisturbance?
    let httpSubscriptions = HTTPSubscriptions()
    private let aheadByteCountMax: Int
    private let beforeEnd: @Sendable () async -> Void
    let sendsEdits: Bool
    let isReadOnly: Bool

    /// - Parameters:
    ///   - cache: A cache that was opened for this session; the session closes it.
    ///   - outputQueue: An output queue whose `hasRoom` feeds the `room` of ``run(_:room:)``, and whose `isAbandoned`
    ///     stops the input.
    ///   - calls: The calls that the cache's upstream makes.
    package convenience init(of cache: SyncCache, outputQueue: OutputQueue, calls: HostCalls, settings: Settings) {
        self.init(of: cache, output: outputQueue, calls: calls, waiting: WaitingRequests(), settings: settings)
    }

    /// Makes a session without an input of its own: each message comes by itself, to ``answer(to:)``.
    ///
    /// - Parameters:
    ///   - cache: A cache that the caller closes.
    ///   - output: The receiver of notifications.
    ///   - waiting: The requests that wait, of all sessions that share the bound.
    package convenience init(
        of cache: SyncCache, output: any SessionOutput, waiting: WaitingRequests, settings: Settings
    ) {
        self.init(of: cache, output: output, calls: nil, waiting: waiting, settings: settings)
    }

    private init(
        of cache: SyncCache, output: any SessionOutput, calls: HostCalls?, waiting: WaitingRequests,
        settings: Settings
    ) {
        self.cache = cache
        self.outputQueue = output
        self.calls = calls
        self.waiting = waiting
        reader = MethodReader(
            limits: settings.limits, defaultLibrary: settings.defaultLibrary,
            http: settings.http?.defaults ?? HTTPClientDefaults(), isStrict: true)
        http = settings.http
        disturbance = settings.disturbance
        logger = settings.logger
        aheadByteCountMax = settings.aheadByteCountMax
        beforeEnd = settings.beforeEnd
        sendsEdits = settings.sendsEdits
        isReadOnly = settings.isReadOnly
    }

    /// Takes the input to its end, finishes all work under way, closes the cache and writes all remaining lines.
    ///
    /// - Parameter room: Yields whenever the output queue has room for notifications again.
    /// - Throws: ``InputError`` and ``StorageError``, after everything was finished that could be.
    package func run(_ input: any LineInput, room: AsyncStream<Void>) async throws {
        guard let outputQueue = outputQueue as? OutputQueue, let calls else {
            preconditionFailure("a session without a host of its own has no input to run")
        }
        await cache.observeLibraries(outputQueue)
        await cache.observeDurability { [outputQueue] places in outputQueue.notifyDurable(places) }
        await cache.startOutbox(await mutationUpstream(), timeout: nil) { [outputQueue] status in
            outputQueue.notifyOutbox(status)
        }
        let resuming = Task { [cache, outputQueue] in
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

    /// Applies events. When too many are held for an upstream's answer, the following lines are read ahead and only the
    /// host's answers in them are taken: the awaited one may be among them.
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

    /// Tells whether an event concerns the session: a message, or a line that may have been meant as one.
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
                JSONSlice(validated: line), to: outputQueue, LinePlace(input: input, line: number))
        } else if line.holds(Session.versionName) {
            let reason = event.reason?.code ?? "not_json"
            let error = MessageError.parse(
                "line \(number) cannot be read (\(reason)) and is in quarantine: send one JSON value a line")
            await answer(.failure(error), Responder(id: Message.nullID, target: .line(outputQueue)))
        }
    }

    /// The text that every message contains and no event does.
    private static let versionName = Array("\"jsonrpc\"".utf8)

    /// Finishes the work that is under way after the input has ended.
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
        await http?.close()
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

extension EventBatch {
    /// Returns the line of an event, or the part of it that was kept.
    func text(of event: ChangeEvent) -> ArraySlice<UInt8> {
        let span = lines[Int(event.line)]
        return block[Int(span.offset)..<Int(span.offset + span.count)]
    }
}

extension ArraySlice<UInt8> {
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

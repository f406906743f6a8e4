import Logging
import Tidemark
import TidemarkModel

/// What the methods of a session work with.
package struct SessionContext: Sendable {
    /// The cache.
    package let cache: SyncCache
    /// Receives notifications and late answers.
    package let output: any SessionOutput
    /// The calls to the host; nil if there is no host to call.
    package let calls: HostCalls?
    /// The requests that are answered later.
    package let waiting: WaitingRequests
    /// Reads and checks parameters.
    package let reader: RequestReader
    /// Receives the session's log.
    package let logger: Logger

    /// Creates a context.
    package init(
        cache: SyncCache, output: any SessionOutput, calls: HostCalls?, waiting: WaitingRequests,
        reader: RequestReader, logger: Logger
    ) {
        self.cache = cache
        self.output = output
        self.calls = calls
        self.waiting = waiting
        self.reader = reader
        self.logger = logger
    }
}

/// One request for a method.
package struct MethodCall: Sendable {
    /// What the session works with.
    package let session: SessionContext
    /// The parameters; empty if the request has none.
    package let params: Params
    /// Where to send an answer that the method does not return.
    package let responder: Responder
    /// The input and the line of the request; nil for single messages.
    package let place: LinePlace?

    /// Creates a call.
    package init(session: SessionContext, params: Params, responder: Responder, place: LinePlace?) {
        self.session = session
        self.params = params
        self.responder = responder
        self.place = place
    }

    /// The cache.
    package var cache: SyncCache { session.cache }
    /// Reads and checks parameters.
    package var reader: RequestReader { session.reader }

    /// Answers when `work` is done, after the notifications of earlier changes. Later lines do not wait for it.
    ///
    /// - Parameter library: The library whose cursor the request waits for; at the end of the input, the session
    ///   answers with the cursor that was reached.
    /// - Throws: ``CacheError`` `limitExceeded` if too many requests wait.
    package func answerLater(
        untilCaughtUp library: ByteString? = nil,
        _ work: @escaping @Sendable () async throws(CacheError) -> [UInt8]
    ) throws(CacheError) -> MethodOutcome {
        let number = try session.waiting.add(responder, untilCaughtUp: library)
        answer(number, work)
        return .later
    }

    /// Makes a change in line order, and answers when `work` is done. Later lines wait for the change and see it.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` if too many requests wait, before anything is changed; or the error of
    ///   `change`.
    package func answerLater<Change: Sendable>(
        after change: () async throws(CacheError) -> Change,
        _ work: @escaping @Sendable (Change) async throws(CacheError) -> [UInt8]
    ) async throws(CacheError) -> MethodOutcome {
        let number = try session.waiting.add(responder)
        let changed: Change
        do throws(CacheError) {
            changed = try await change()
        } catch {
            session.waiting.finish(number) { _ in }
            throw error
        }
        answer(number) { () throws(CacheError) in try await work(changed) }
        return .later
    }

    private func answer(_ number: UInt64, _ work: @escaping @Sendable () async throws(CacheError) -> [UInt8]) {
        let task = Task { [session] in
            let outcome: Result<[UInt8], MessageError>
            do throws(CacheError) {
                outcome = .success(try await work())
            } catch {
                outcome = .failure(MessageError(error))
            }
            await session.cache.deliverAll(to: session.output)
            session.waiting.finish(number) { $0.answer(outcome) }
        }
        session.waiting.set(task, for: number)
    }
}

import Dispatch
import Synchronization
import Tidemark
import TidemarkMessages
import TidemarkModel

/// The lines on their way to the host: one queue, one writer, first in, first out.
///
/// Appending never waits. Each kind of waiting line has its bound:
///
/// - Notifications: ``Bounds/notificationByteCountMax``. Past it the cache merges each observer's changes, until half
///   is written and `hasRoom` is called.
/// - `durable`, `library.state` and `outbox.changed`: the number of libraries and pending edits. Without room only the
///   newest of each is kept.
/// - Answers, and lines that must precede them: ``Bounds/answerByteCountMax`` plus one answer, because
///   ``waitForRoom()`` delays further requests. A host that only sends events gets no answers, so it is never delayed.
/// - Calls to the host: their number, which ``HostCalls`` bounds. A call that nobody waits for any more is withdrawn.
package final class OutputQueue: Sendable {
    /// Limits on the bytes that wait to be written.
    package struct Bounds: Sendable {
        /// The limit on notifications: 1 MiB.
        package var notificationByteCountMax = 1 << 20
        /// The limit on answers and calls: 16 MiB, the same as one line of the host.
        package var answerByteCountMax = 16 << 20

        /// Creates bounds with the default values.
        package init() {}
    }

    /// The limits on waiting lines.
    package let bounds: Bounds
    /// The maximum size of one write in bytes; a longer line is written alone.
    static let writeByteCountMax = 256 << 10

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "tidemark.output")
    private let state: Mutex<OutputQueueState>
    /// Called when notifications have room again; must not wait.
    private let hasRoom: @Sendable () -> Void
    /// Called once, when the host stops reading.
    private let isAbandoned: @Sendable () -> Void

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor to write to; the caller closes it.
    ///   - bounds: The limits, for tests; the defaults are part of the protocol.
    ///   - hasRoom: Called on the writer's thread once there is room again after a notification was refused.
    ///   - isAbandoned: Called once, on the writer's thread, when nothing can be written any more.
    package init(
        _ descriptor: Int32, bounds: Bounds = Bounds(), hasRoom: @escaping @Sendable () -> Void,
        isAbandoned: @escaping @Sendable () -> Void
    ) {
        self.descriptor = descriptor
        self.bounds = bounds
        state = Mutex(OutputQueueState(bounds: bounds))
        self.hasRoom = hasRoom
        self.isAbandoned = isAbandoned
    }

    /// How many bytes wait to be written: of notifications, and of everything else.
    package var byteCounts: (notifications: Int, answers: Int) {
        state.withLock { ($0.notificationByteCount, $0.answerByteCount) }
    }

    /// The error that stopped writing; nil if there is none, or if the host only closed its end.
    package var failure: String? { state.withLock { $0.failure } }

    // MARK: Appending

    /// Appends an answer, or a notification that must not be merged, after all kept notifications.
    ///
    /// - Parameter line: The line, with its LF.
    package func append(answer line: [UInt8]) {
        append { state in
            state.appendKept()
            state.append(line, as: .answer)
        }
    }

    /// Appends a call to the host.
    package func append(call line: [UInt8], number: Int64) {
        append { $0.append(line, as: .answer, call: number) }
    }

    /// Removes a call that is not written yet.
    package func withdraw(call number: Int64) {
        state.withLock { $0.withdraw(call: number) }
    }

    func append(_ body: (inout OutputQueueState) -> Void) {
        let mustWrite = state.withLock { state in
            guard !state.isClosed else { return false }
            body(&state)
            guard !state.isWriting, !state.isEmpty else { return false }
            state.isWriting = true
            return true
        }
        if mustWrite { queue.async { self.write() } }
    }

    // MARK: Waiting

    /// Returns once the unwritten answers leave room for more.
    package func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.holdsBack else { return false }
                state.roomWaiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Resumes all waiters and lets later ones pass, because the session is ending.
    package func letThrough() {
        resume(state.withLock { $0.letThrough() })
    }

    /// Returns once everything is written, or nothing can be written any more.
    package func drain() async {
        append { $0.appendKept() }
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.isWriting, !state.isClosed else { return false }
                state.drainWaiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    // MARK: Writing

    /// Writes until no line is left. Runs on `queue`.
    private func write() {
        while true {
            let (bytes, waiters) = state.withLock { $0.takeBytes(OutputQueue.writeByteCountMax) }
            resume(waiters)
            if bytes.isEmpty { return }
            do throws(DescriptorError) {
                try DescriptorWriter.write(bytes, to: descriptor)
            } catch {
                resume(state.withLock { $0.close(error.message) })
                isAbandoned()
                return
            }
            let (mustTell, readers) = state.withLock { $0.wroteBytes() }
            resume(readers)
            if mustTell { hasRoom() }
        }
    }

    private func resume(_ waiters: [CheckedContinuation<Void, Never>]) {
        for waiter in waiters { waiter.resume() }
    }
}

extension OutputQueue: SessionOutput, CallOutput {
    /// nil: a host receives notifications.
    package var observerRefusal: CacheError? { nil }
    /// The limit on unwritten answers.
    package var answerByteCountMax: Int { bounds.answerByteCountMax }
}

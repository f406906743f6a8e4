import Dispatch
import Synchronization
import Tidemark
import TidemarkModel

/// The lines on their way to the host: one queue, one writer, first in, first out.
///
/// Appending never waits. The lines that wait to be written are bounded by kind:
///
/// - notifications by ``Bounds/notificationByteCountMax``: beyond it the cache merges each observer's changes, until
///   half of it is written and `hasRoom` is called;
/// - `durable` and `library.state` by the number of libraries: of those without room the newest is kept;
/// - answers, and lines that must come before them, by ``Bounds/answerByteCountMax`` and one answer: ``waitForRoom()``
///   delays requests that would cause more. A host that only sends events gets no answers, so it is never delayed;
/// - calls to the host by their number, which ``HostCalls`` bounds; a call without a waiter is withdrawn.
package final class OutputQueue: Sendable {
    /// The limits of the bytes that may wait to be written.
    package struct Bounds: Sendable {
        /// The limit of notifications: 1 MiB.
        package var notificationByteCountMax = 1 << 20
        /// The limit of answers and calls: 16 MiB, as much as one line of the host.
        package var answerByteCountMax = 16 << 20

        package init() {}
    }

    package let bounds: Bounds
    /// The limit of one write in bytes; a longer line is written alone.
    static let writeByteCountMax = 256 << 10

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "tidemark.output")
    private let state: Mutex<OutputQueueState>
    /// Called when there is room for notifications again; must not wait.
    private let hasRoom: @Sendable () -> Void
    /// Called once when the host stops reading.
    private let isAbandoned: @Sendable () -> Void

    /// - Parameters:
    ///   - descriptor: The descriptor to write to; the caller closes it.
    ///   - hasRoom: Called on the writer's thread after a notification was refused, when there is room again.
    ///   - bounds: The limits, for tests; the defaults are part of the protocol.
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

    /// The bytes that wait to be written: of notifications, and of everything else.
    package var byteCounts: (notifications: Int, answers: Int) {
        state.withLock { ($0.notificationByteCount, $0.answerByteCount) }
    }

    /// The error that stopped the writing; nil while there is none, and when the host only closed its end.
    package var failure: String? { state.withLock { $0.failure } }

    // MARK: Appending

    /// Appends an answer, or a notification that must not be merged. Kept `durable` and `library.state` notifications
    /// are appended before it.
    ///
    /// - Parameter line: The line with its LF.
    package func append(answer line: [UInt8]) {
        append { state in
            state.appendKept()
            state.append(line, as: .answer)
        }
    }

    /// Appends a request to the host.
    func append(call line: [UInt8], number: Int64) {
        append { $0.append(line, as: .answer, call: number) }
    }

    /// Withdraws a request that is not written yet.
    func withdraw(call number: Int64) {
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

    /// Returns when the answers that wait to be written leave room for more.
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

    /// Wakes all waiters, and lets later ones pass: the session ends.
    package func letThrough() {
        resume(state.withLock { $0.letThrough() })
    }

    /// Returns when everything was written, or when nothing can be written any more.
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

    /// Writes on the queue until no line is left.
    private func write() {
        while true {
            let (bytes, waiters) = state.withLock { $0.takeBytes(OutputQueue.writeByteCountMax) }
            resume(waiters)
            if bytes.isEmpty { return }
            do throws(DescriptorFailure) {
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

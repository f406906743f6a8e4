import Dispatch
import Synchronization
import Tidemark
import TidemarkModel

/// Lines on their way to the host: one queue, one writer, first in, first out.
///
/// Nothing that appends ever waits. What waits to be written is bounded by kind:
///
/// - notifications by ``Bounds/notificationByteCountMax``: past it the cache keeps each observer's changes together, until
///   half of it is written and `hasRoom` is called;
/// - `durable` and `library.state` by the number of libraries: of those that find no room the newest is kept;
/// - answers, and what must go before them, by ``Bounds/answerByteCountMax`` and one answer: ``waitForRoom()`` holds back whoever
///   would bring about more. A host that sends events only has no answers, so it is never held back;
/// - calls to the host by their number, which ``HostCalls`` bounds; one that nobody waits for any more is withdrawn.
package final class Outbox: Sendable {
    /// Bytes that may wait to be written.
    package struct Bounds: Sendable {
        /// 1 MiB.
        package var notificationByteCountMax = 1 << 20
        /// 16 MiB: as much as one line of the host.
        package var answerByteCountMax = 16 << 20

        package init() {}
    }

    package let bounds: Bounds
    /// One write takes so many bytes, and a longer line alone.
    static let writeByteCountMax = 256 << 10

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "tidemark.outbox")
    private let state: Mutex<OutboxState>
    /// Called when there is room for notifications again; must not wait.
    private let hasRoom: @Sendable () -> Void
    /// Called once when the host reads no more.
    private let isAbandoned: @Sendable () -> Void

    /// - Parameters:
    ///   - descriptor: Stays the caller's to close.
    ///   - hasRoom: Called on the writer's thread after a notification was refused, when there is room again.
    ///   - bounds: For tests; the defaults are part of the protocol.
    ///   - isAbandoned: Called once, on the writer's thread, when nothing can be written any more.
    package init(
        _ descriptor: Int32, bounds: Bounds = Bounds(), hasRoom: @escaping @Sendable () -> Void,
        isAbandoned: @escaping @Sendable () -> Void
    ) {
        self.descriptor = descriptor
        self.bounds = bounds
        state = Mutex(OutboxState(bounds: bounds))
        self.hasRoom = hasRoom
        self.isAbandoned = isAbandoned
    }

    /// What waits to be written: of notifications, and of everything else.
    package var byteCounts: (notifications: Int, answers: Int) {
        state.withLock { ($0.notificationByteCount, $0.answerByteCount) }
    }

    /// Why nothing could be written any more; nil while all is well, and when the host only went away.
    package var failure: String? { state.withLock { $0.failure } }

    // MARK: Appending

    /// Appends an answer, or a notification that must not be merged. `durable` and `library.state` that found no room
    /// go before it.
    ///
    /// - Parameter line: With its LF.
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

    /// Takes back a request that is not written yet.
    func withdraw(call number: Int64) {
        state.withLock { $0.withdraw(call: number) }
    }

    func append(_ body: (inout OutboxState) -> Void) {
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

    /// Returns when the answers that wait to be written are few enough for more.
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

    /// Nobody is held back any more: the session ends.
    package func letThrough() {
        resume(state.withLock { $0.letThrough() })
    }

    /// Returns when everything was written, or nothing can be.
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

    /// Runs on the queue until nothing is left.
    private func write() {
        while true {
            let (bytes, waiters) = state.withLock { $0.takeBytes(Outbox.writeByteCountMax) }
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

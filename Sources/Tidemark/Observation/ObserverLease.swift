import Synchronization

/// An observer of a cache that lives as long as its reader.
///
/// It is cancelled when the reader's task is cancelled, when ``end()`` is called, and at the latest when the lease is
/// released.
package final class ObserverLease: Sendable {
    private enum Phase {
        case idle
        case running
        case over
    }

    private let host: any ObserverHost
    private let mailbox = ObserverMailbox()
    private let phase = Mutex(Phase.idle)

    package init(_ host: any ObserverHost) {
        self.host = host
    }

    deinit {
        mailbox.close()
        let isRunning = phase.withLock { $0 == .running }
        // A `deinit` cannot await. The task is short, and holds only these two values and not the lease.
        if isRunning { Task { [host, mailbox] in await host.detach(mailbox) } }
    }

    /// Returns the next item from the cache; the first call begins to observe.
    ///
    /// - Parameter begin: Makes the observer.
    /// - Returns: nil when the observation is over.
    package func next(
        begin: (any ObserverHost, ObserverMailbox) async -> Void
    ) async -> ObserverMailbox.Item? {
        if startsNow() { await begin(host, mailbox) }
        while !Task.isCancelled {
            switch mailbox.take() {
            case .item(let item): return item
            case .roomAgain: await host.resume(mailbox)
            case .nothing: await mailbox.wait()
            case .closed:
                await end()
                return nil
            }
        }
        await end()
        return nil
    }

    /// Cancels the observer, once.
    package func end() async {
        mailbox.close()
        let isRunning = phase.withLock { phase in
            defer { phase = .over }
            return phase == .running
        }
        if isRunning { await host.detach(mailbox) }
    }

    private func startsNow() -> Bool {
        phase.withLock { phase in
            guard phase == .idle else { return false }
            phase = .running
            return true
        }
    }
}

extension ObserverMailbox {
    /// Adds the first item of a new observer, or cancels the observer if the mailbox is closed: the reader may have
    /// gone while it waited for a slow upstream.
    package func begin(_ item: Item, host: any ObserverHost) {
        // This runs on the host's executor, in the step that makes the observer. The cancellation must follow that
        // step.
        if !put(item) { Task { await host.detach(self) } }
    }
}

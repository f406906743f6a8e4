import Synchronization

/// One observer of a cache for as long as someone reads it.
///
/// It ends when its reader's task is cancelled, when it is told so, and at the latest when nobody holds it any more.
final class ObserverLease: Sendable {
    private enum Phase {
        case idle
        case running
        case over
    }

    private let host: any ObserverHost
    private let mailbox = ObserverMailbox()
    private let phase = Mutex(Phase.idle)

    init(_ host: any ObserverHost) {
        self.host = host
    }

    deinit {
        mailbox.close()
        let isRunning = phase.withLock { $0 == .running }
        // Nobody can wait here, and nobody is left who could: the task is short and holds nothing but its two values.
        if isRunning { Task { [host, mailbox] in await host.detach(mailbox) } }
    }

    /// The next thing that the cache said; begins to observe when called first.
    ///
    /// - Parameter begin: Makes the observer.
    /// - Returns: nil when it is over.
    func next(
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
    func end() async {
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
    /// Puts in the first item of an observer that was just made. When nobody reads any more, it is cancelled again.
    ///
    /// The answer may take as long as a server does, and the reader may be gone by then.
    func begin(_ item: Item, host: any ObserverHost) {
        // Called on the host's executor, inside the step that made the observer: cancelling has to wait for its end.
        if !put(item) { Task { await host.detach(self) } }
    }
}

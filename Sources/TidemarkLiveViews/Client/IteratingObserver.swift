import Synchronization
import Tidemark
import TidemarkModel

/// The observer of one iterator: its first rows, until they are read, and its number. It leaves the shared window when
/// it ends, at the latest when it is released.
final class IteratingObserver: Sendable {
    private struct State {
        var reply: ViewReply?
        var subscription: SubscriptionID?
        /// The window that the first rows have.
        var position = SharedWindow.Position()
    }

    private let window: SharedWindow
    private let state = Mutex(State())

    init(_ window: SharedWindow) { self.window = window }

    deinit { end() }

    /// The method of the item that stands for the first rows.
    private static let first: ByteString = "view.rows"

    /// Begins to observe.
    static func begin(
        _ request: ViewRequest, _ window: SharedWindow, _ cache: SyncCache, _ mailbox: ObserverMailbox,
        _ observer: IteratingObserver
    ) async {
        var request = request
        let position = window.position
        (request.offset, request.limit) = (position.offset, position.limit)
        let wanted = request
        do throws(CacheError) {
            try await ViewEngine.attach(to: cache)
        } catch {
            _ = mailbox.put(.failed(error))
            return
        }
        await cache.withWing(ViewEngine.self) { engine, cache in
            await engine.observe(wanted, sink: mailbox, in: cache) { result in
                switch result {
                case .success(let reply):
                    observer.begin(reply, at: position)
                    mailbox.begin(
                        .notification(.document(DocumentNotification(method: first, params: []))), host: cache)
                case .failure(let error): _ = mailbox.put(.failed(error))
                }
            }
        }
    }

    private func begin(_ reply: ViewReply, at position: SharedWindow.Position) {
        state.withLock { state in
            state.reply = reply
            state.subscription = reply.subscription
            state.position = position
        }
        if let subscription = reply.subscription { window.add(subscription) }
    }

    /// Removes and returns the first rows; nil if they were taken.
    func takeReply() -> ViewReply? {
        state.withLock { state in
            defer { state.reply = nil }
            return state.reply
        }
    }

    /// True if the window was moved before the observer belonged to it.
    var isMoved: Bool { state.withLock { $0.position } != window.position }

    /// Leaves the window.
    func end() {
        if let subscription = state.withLock({ $0.subscription }) { window.remove(subscription) }
    }
}

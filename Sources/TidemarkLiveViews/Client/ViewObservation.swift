import Synchronization
import Tidemark
import TidemarkModel

/// An asynchronous sequence of the rows of a view: the current ones, then those after every change that shows.
///
/// ```swift
/// struct Row: Decodable {
///     var kind: String?
///     var n: Int
/// }
/// let file = View.Source(type: "file")
/// let kinds = View(file).group("kind", by: file["/kind"]).aggregate("n", .count())
/// for try await update in try cache.observe(kinds, as: Row.self) {
///     print(update.rows.map(\.n), update.changes.count, update.isStale)
/// }
/// ```
///
/// Each iterator is an observer of its own. It starts with its first `next()`, and ends when its task is cancelled,
/// when the loop ends, or when the iterator is released. Rows are decoded where `next()` runs, and only those that
/// changed. A slow reader gets fewer, merged updates; at most 16 wait for it.
public struct ViewObservation<Row: Decodable & Sendable>: AsyncSequence, Sendable {
    /// The rows and what changed.
    public typealias Element = ViewRows<Row>

    let cache: SyncCache
    let request: ViewRequest
    let window: SharedWindow

    init(_ request: ViewRequest, of cache: SyncCache) {
        self.cache = cache
        var request = request
        request.wantsWholeRows = true
        self.request = request
        window = SharedWindow(SharedWindow.Position(offset: request.offset, limit: request.limit))
    }

    /// Makes an observer, which starts to observe with its first `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Moves the window of all iterators of this observation, and of those that begin later.
    ///
    /// ```swift
    /// let board = try cache.observe(.named("board"), as: JSONValue.self, offset: 0, limit: 50)
    /// try await board.move(offset: 50)
    /// ```
    ///
    /// Returns once the change is among the updates of each iterator. An iterator that has ended is left out.
    ///
    /// - Parameters:
    ///   - offset: The rows to leave out, from 0 on; nil leaves the last value.
    ///   - limit: The most rows, from 1 on; nil leaves the last value.
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` for a window that no view has, `.storageFailed`.
    public func move(offset: Int? = nil, limit: Int? = nil) async throws(CacheError) {
        try ViewRequest.check(offset: offset, limit: limit)
        for subscription in window.move(offset: offset, limit: limit) {
            try await window.show(subscription, in: cache)
        }
    }

    /// Iterates over the rows of one observed view. The observer ends with its iterator.
    public struct Iterator: AsyncIteratorProtocol {
        private let lease: ObserverLease
        private let cache: SyncCache
        private let request: ViewRequest
        private let window: SharedWindow
        private let observer: IteratingObserver
        private let reader = ChangeReader<Row>()
        /// The rows of the last update; nil before the first one.
        private var last: ViewRows<Row>?
        private var isOver = false

        init(_ observation: ViewObservation) {
            lease = ObserverLease(observation.cache)
            cache = observation.cache
            request = observation.request
            window = observation.window
            observer = IteratingObserver(observation.window)
        }

        /// Returns the next update; the first one has the current rows.
        ///
        /// - Returns: nil when the task was cancelled, and after an error.
        /// - Throws: ``/Tidemark/CacheError`` when the view cannot be read, ``ViewRowError`` when a row does not match
        ///   its type, ``ViewEndedError`` when the view ended. Each ends the observation.
        public mutating func next() async throws -> ViewRows<Row>? {
            if isOver { return nil }
            let (cache, request, observer, window) = (cache, request, observer, window)
            let item = await lease.next(begin: { _, mailbox in
                await IteratingObserver.begin(request, window, cache, mailbox, observer)
            })
            guard let item else {
                isOver = true
                observer.end()
                return nil
            }
            do {
                return try await absorb(item)
            } catch {
                isOver = true
                observer.end()
                await lease.end()
                throw error
            }
        }

        private mutating func absorb(_ item: ObserverMailbox.Item) async throws -> ViewRows<Row> {
            switch item {
            case .notification(.document(let notification)) where notification.method == "view.changed":
                guard var rows = last else { preconditionFailure("a view changed before its first rows") }
                // So that rows which the caller has released are changed in place.
                last = nil
                try reader.apply(notification.params, to: &rows)
                last = rows
                return rows
            case .notification(.document(let notification)) where notification.method == "view.ended":
                throw ViewEndedError(notification)
            case .notification(.document):
                guard let reply = observer.takeReply() else { preconditionFailure("a view began twice") }
                let rows = try ViewRows<Row>(reply, RowDecoder())
                last = rows
                // The window may have been moved before its number was known.
                if observer.isMoved, let subscription = reply.subscription {
                    try await window.show(subscription, in: cache)
                }
                return rows
            case .failed(let error): throw error
            case .query, .entity, .fetchFailed, .notification:
                preconditionFailure("the observer of a view was notified of \(item)")
            }
        }
    }
}

extension ViewEndedError {
    /// Reads a `view.ended`.
    init(_ notification: DocumentNotification) {
        let reason = JSONSource(notification.params).value["reason"]?.string.flatMap { Reason(rawValue: $0) }
        guard let reason else { preconditionFailure("a view ended without a reason that is known") }
        self.init(reason: reason)
    }
}

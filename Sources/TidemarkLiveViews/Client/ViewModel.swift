import Observation
import Tidemark

/// The rows of a view for a user interface: observable, and on the main actor.
///
/// ```swift
/// @MainActor func show() throws {
///     let board = ViewModel(try cache.observe(.named("board"), as: JSONValue.self))
///     board.start()
///     // In SwiftUI: ForEach(board.rows.indices, id: \.self) { Text(board.rows[$0].text) }
///     board.stop()
/// }
/// ```
///
/// The model owns the task that reads the observation. ``stop()``, or releasing the model, cancels it. A property is
/// set only when it changes, so a reader of ``rows`` is not notified of a new ``total``.
@MainActor @Observable public final class ViewModel<Row: Decodable & Sendable> {
    /// What the model is doing.
    public enum Phase: Sendable {
        /// The first rows have not arrived yet.
        case loading
        /// The model shows rows.
        case loaded
        /// The view ended. The rows stay.
        case ended(ViewEndedError.Reason)
        /// The observation ended with an error. The rows stay; ``ViewModel/start()`` tries again.
        case failed(any Error)
    }

    /// The rows of the last update; empty before the first one.
    public private(set) var rows: [Row] = []
    /// The number of rows before the window is cut; nil if the view does not ask for it.
    public private(set) var total: Int?
    /// True if some of the rows may be older than the server's data.
    public private(set) var isStale = false
    /// True if some row shows an edit that no server has confirmed.
    public private(set) var isPending = false
    /// The number of entities that the view refers to and that the cache does not know.
    public private(set) var missing = 0
    /// What the model is doing.
    public private(set) var phase = Phase.loading

    private let observation: ViewObservation<Row>
    /// The task that reads the observation; nil while the model is stopped.
    @ObservationIgnored private var task: Task<Void, Never>?

    /// Makes a model of an observation, which begins with ``start()``.
    public init(_ observation: ViewObservation<Row>) {
        self.observation = observation
    }

    deinit {
        task?.cancel()
    }

    /// True from ``start()`` until ``stop()``, an end or an error.
    public var isRunning: Bool { task != nil }

    /// Starts to observe; does nothing while the model is running.
    public func start() {
        guard task == nil else { return }
        phase = .loading
        task = Task { [weak self, observation] in
            do {
                for try await update in observation {
                    // `stop` and `show` both run on the main actor, so nothing is shown after a stop.
                    guard let self, !Task.isCancelled else { return }
                    self.show(update)
                }
            } catch {
                if !Task.isCancelled { self?.end(error) }
            }
        }
    }

    /// Stops observing. The rows stay.
    public func stop() {
        task?.cancel()
        task = nil
    }

    /// Moves the window. The rows follow with the next update.
    ///
    /// - Throws: See ``ViewObservation/move(offset:limit:)``.
    public func move(offset: Int? = nil, limit: Int? = nil) async throws(CacheError) {
        try await observation.move(offset: offset, limit: limit)
    }

    private func show(_ update: ViewRows<Row>) {
        if case .loaded = phase {
            if !update.changes.isEmpty { rows = update.rows }
        } else {
            rows = update.rows
            phase = .loaded
        }
        if total != update.total { total = update.total }
        if isStale != update.isStale { isStale = update.isStale }
        if isPending != update.isPending { isPending = update.isPending }
        if missing != update.missing { missing = update.missing }
    }

    private func end(_ error: any Error) {
        phase = (error as? ViewEndedError).map { .ended($0.reason) } ?? .failed(error)
        task = nil
    }
}

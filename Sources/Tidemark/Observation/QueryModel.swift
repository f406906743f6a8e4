import Observation
import TidemarkModel

/// A query's list for a user interface: observable, and on the main actor.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
/// }
/// @MainActor func show() throws {
///     let photos = QueryModel(try cache.observe(Photo.self, method: "photos.list"))
///     photos.start()
///     // In SwiftUI: List(photos.items) { Text($0.id) }
///     photos.stop()
/// }
/// ```
///
/// The model owns the task that reads the observation. ``stop()``, or releasing the model, cancels it.
@MainActor @Observable public final class QueryModel<R: Resource> {
    /// What the model is doing.
    public enum Phase: Sendable {
        /// The first list has not arrived yet.
        case loading
        /// The model shows a list.
        case loaded
        /// The observation ended with an error. The items stay; ``QueryModel/start()`` tries again.
        case failed(any Error)
    }

    /// The list of the last update; empty before the first one.
    public private(set) var items: [R] = []
    /// True if the list, or a part of it, is known to be older than allowed.
    public private(set) var isStale = false
    /// True if some item shows an optimistic edit.
    public private(set) var isPending = false
    /// What the model is doing; changes with the first update and with an error.
    public private(set) var phase = Phase.loading

    private let observation: QueryObservation<R>
    /// The task that reads the observation; nil while the model is stopped.
    @ObservationIgnored private var task: Task<Void, Never>?

    /// Makes a model of an observation, which begins with ``start()``.
    public init(_ observation: QueryObservation<R>) {
        self.observation = observation
    }

    deinit {
        task?.cancel()
    }

    /// True from ``start()`` until ``stop()`` or an error.
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
                if !Task.isCancelled { self?.fail(error) }
            }
        }
    }

    /// Stops observing. The items stay.
    public func stop() {
        task?.cancel()
        task = nil
    }

    private func show(_ update: QueryUpdate<R>) {
        items = update.items
        isStale = update.isStale
        isPending = update.isPending
        phase = .loaded
    }

    private func fail(_ error: any Error) {
        phase = .failed(error)
        task = nil
    }
}

import Observation
import TidemarkModel

/// A query's list for a user interface: observable, on the main actor.
///
/// ```swift
/// @MainActor func show(_ cache: SyncCache) throws {
///     let photos = QueryModel(try cache.observe(Photo.self, method: "photos.list"))
///     photos.start()
///     // In SwiftUI: List(photos.items) { Text($0.name) }
///     photos.stop()
/// }
/// ```
///
/// The model owns the task that reads the observation: ``stop()``, or releasing the model, cancels the task.
@MainActor @Observable public final class QueryModel<R: Resource> {
    /// The progress of the model.
    public enum Phase: Sendable {
        /// The first list has not come yet.
        case loading
        case loaded
        /// The observation ended with an error; ``QueryModel/start()`` tries again. The items stay.
        case failed(any Error)
    }

    /// The list of the last update; empty before the first one.
    public private(set) var items: [R] = []
    public private(set) var isStale = false
    /// Whether some item shows an optimistic edit.
    public private(set) var isPending = false
    public private(set) var phase = Phase.loading

    private let observation: QueryObservation<R>
    /// The task that reads the observation; nil while the model is stopped.
    @ObservationIgnored private var task: Task<Void, Never>?

    public init(_ observation: QueryObservation<R>) {
        self.observation = observation
    }

    deinit {
        task?.cancel()
    }

    public var isRunning: Bool { task != nil }

    /// Begins to observe; does nothing when the model is running already.
    public func start() {
        guard task == nil else { return }
        phase = .loading
        task = Task { [weak self, observation] in
            do {
                for try await update in observation {
                    // Stopping and showing both run on the main actor: nothing is shown after a stop.
                    guard let self, !Task.isCancelled else { return }
                    self.show(update)
                }
            } catch {
                if !Task.isCancelled { self?.fail(error) }
            }
        }
    }

    /// Ends observing. The items stay.
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

public import Tidemark

#if canImport(Combine)
    public import Combine
#elseif canImport(OpenCombine)
    public import OpenCombine
#endif

#if canImport(Combine) || canImport(OpenCombine)
    /// A query's list as an `ObservableObject`, for user interfaces that are built on Combine.
    ///
    /// ```swift
    /// struct Photo: Resource {
    ///     static let resourceType = "photo"
    ///     var id: String
    /// }
    /// @MainActor func show() throws {
    ///     let photos = QueryObject(try cache.observe(Photo.self, method: "photos.list"))
    ///     photos.start()
    ///     let subscription = photos.objectWillChange.sink { @Sendable _ in print("changed") }
    ///     subscription.cancel()
    ///     photos.stop()
    /// }
    /// ```
    ///
    /// The object owns the task that reads the observation. ``stop()``, or releasing the object, cancels it. In new
    /// code, prefer ``/Tidemark/QueryModel``.
    @MainActor public final class QueryObject<R: Resource>: ObservableObject {
        /// The list of the last update; empty before the first one.
        @Published public private(set) var items: [R] = []
        /// True if the list, or a part of it, is known to be older than allowed.
        @Published public private(set) var isStale = false
        /// What the object is doing; changes with the first update and with an error.
        @Published public private(set) var phase = QueryModel<R>.Phase.loading

        private let observation: QueryObservation<R>
        /// The task that reads the observation; nil while the object is stopped.
        private var task: Task<Void, Never>?

        /// Makes an object of an observation, which begins with ``start()``.
        public init(_ observation: QueryObservation<R>) {
            self.observation = observation
        }

        deinit {
            task?.cancel()
        }

        /// Starts to observe; does nothing while the object is running.
        public func start() {
            guard task == nil else { return }
            phase = .loading
            task = Task { [weak self, observation] in
                do {
                    for try await update in observation {
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
            phase = .loaded
        }

        private func fail(_ error: any Error) {
            phase = .failed(error)
            task = nil
        }
    }
#endif

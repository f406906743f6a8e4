import TidemarkModel

/// The observer of durable cursors, with the positions of its last notification. One observer at a time.
struct DurabilityWatch {
    private var observer: (@Sendable ([DurablePlace]) -> Void)?
    /// One entry for each library.
    private var notified: [ByteString: DurablePlace] = [:]

    var isActive: Bool { observer != nil }

    /// Replaces the observer.
    ///
    /// - Parameter places: The positions that it knows already.
    mutating func begin(_ observer: @escaping @Sendable ([DurablePlace]) -> Void, at places: [DurablePlace]) {
        self.observer = observer
        notified = [:]
        for place in places { notified[place.library] = place }
    }

    /// Notifies the observer of the libraries whose durable cursors moved, unless none did.
    mutating func committed(_ places: [DurablePlace]) {
        guard let observer else { return }
        let moved = places.filter { notified[$0.library] != $0 }
        guard !moved.isEmpty else { return }
        for place in moved { notified[place.library] = place }
        observer(moved)
    }
}

import TidemarkModel

/// A layer with a request, as the outbox schedules it.
package struct OutboxEntry: Hashable, Sendable {
    /// The layer's number, which orders requests of one key.
    package var number: Int64
    package var pendingID: ByteString
    package var library: ByteString
    package var sending: LayerSending
    /// Whether the layer depends on another one that has not settled.
    package var isBlocked: Bool

    package init(number: Int64, pendingID: ByteString, library: ByteString, sending: LayerSending, isBlocked: Bool) {
        self.number = number
        self.pendingID = pendingID
        self.library = library
        self.sending = sending
        self.isBlocked = isBlocked
    }
}

/// The requests of layers.
///
/// - Source: Protocol/optimistic.md, the outbox.
extension CacheState {
    /// Whether a request was added, changed or removed since ``takeOutboxChanges()``.
    package var hasOutboxChanges: Bool { layers.requests.isChanged }

    /// Returns the layers whose requests changed since the last call, in the order of their numbers: an entry, or nil
    /// for a layer that has settled or has nothing to send any more.
    package mutating func takeOutboxChanges() -> [(number: Int64, entry: OutboxEntry?)] {
        layers.takeChangedRequests().map { number in
            guard let layer = layers.layers[number], let sending = layer.sending else { return (number, nil) }
            let entry = OutboxEntry(
                number: number, pendingID: layer.pendingID, library: libraries.name(of: layer.library),
                sending: sending, isBlocked: !layer.dependsOn.isEmpty)
            return (number, entry)
        }
    }

    /// Counts an attempt to send a layer's request. The caller sends it only when this is on the disk.
    ///
    /// - Parameters:
    ///   - pendingID: The layer that sends; nothing happens when it is not pending.
    ///   - members: The newer layers whose input is sent with it from now on, and that settle with it; one that is not
    ///     pending is ignored.
    package mutating func beginAttempt(_ pendingID: ByteString, with members: [ByteString], at now: Int64) {
        guard let sender = layers.layer(named: pendingID) else { return }
        isUnwritten = true
        for member in members {
            guard let layer = layers.layer(named: member) else { continue }
            layers.changeSending(layer.number) { $0.sentWith = pendingID }
        }
        layers.changeSending(sender.number) { sending in
            sending.sentWith = nil
            sending.begin(at: now)
        }
    }

    /// Notes that a layer's request failed for good. The layer stays.
    package mutating func failRequest(_ pendingID: ByteString, _ failure: MutationFailure) {
        guard let layer = layers.layer(named: pendingID) else { return }
        isUnwritten = true
        layers.changeSending(layer.number) { $0.failure = failure.bounded }
    }

    /// Lets a failed request be sent again.
    ///
    /// - Parameter library: nil: any library.
    /// - Returns: The number of the layer whose request it is; nil for a layer without a request.
    package mutating func retryRequest(_ pendingID: ByteString, library: ByteString?) throws(LayerRefusal) -> Int64? {
        let layer = try layer(pendingID, of: library)
        guard let sending = layer.sending else { return nil }
        let sender = sending.sentWith.flatMap { layers.layer(named: $0) } ?? layer
        guard sender.sending?.failure != nil else { return sender.number }
        isUnwritten = true
        layers.changeSending(sender.number) { $0.startAfresh() }
        return sender.number
    }

    /// Returns the pending ids of the layers that a layer's request serves, its own first.
    package func requestGroup(of number: Int64) -> [ByteString] {
        layers.layers[number].map { layers.group(of: $0).map(\.pendingID) } ?? []
    }

    /// Returns the input that a layer's request has: that of the newest layer of its group.
    package func requestInput(of number: Int64) -> [UInt8]? {
        layers.layers[number].flatMap { layers.group(of: $0).last?.sending?.request.input }
    }

    /// Returns the changes of the layers that a layer's request serves, as they were given, in order.
    package func requestChanges(of number: Int64) -> [(key: EntityKey, change: LayerChange)] {
        guard let layer = layers.layers[number] else { return [] }
        return layers.group(of: layer).flatMap { member in
            member.changes.filter { !$0.isAlong }.map { (entityKey(of: $0.key), $0) }
        }
    }
}

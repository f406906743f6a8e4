import TidemarkModel

/// A layer with a request, as the outbox needs it to schedule the request.
package struct OutboxEntry: Hashable, Sendable {
    /// The layer's number. Requests of one key are sent in this order.
    package var number: Int64
    /// The layer's pending id, which is also the request's idempotency key.
    package var pendingID: ByteString
    /// The library's name.
    package var library: ByteString
    /// The request, and how far its sending is.
    package var sending: LayerSending
    /// True if the layer depends on another one that has not settled.
    package var isBlocked: Bool
    /// The most bytes that the layer's changes take in a line; 0 unless the request may be replaced by a newer one.
    package var changesByteCount: Int

    /// Creates an entry from its parts.
    package init(
        number: Int64, pendingID: ByteString, library: ByteString, sending: LayerSending, isBlocked: Bool,
        changesByteCount: Int = 0
    ) {
        self.number = number
        self.pendingID = pendingID
        self.library = library
        self.sending = sending
        self.isBlocked = isBlocked
        self.changesByteCount = changesByteCount
    }
}

/// A change to the request of one layer.
package struct OutboxChange: Sendable {
    /// The layer's number.
    package var number: Int64
    /// The request; nil if the layer has settled or no longer has anything to send.
    package var entry: OutboxEntry?
    /// True if the layer is gone, and only the server's response can show what became of its request.
    package var isUnanswered = false
}

/// The requests of layers.
///
/// - Source: Protocol/optimistic.md, the outbox.
extension CacheState {
    /// True if a request was added, changed or removed since ``takeOutboxChanges()``.
    package var hasOutboxChanges: Bool { layers.requests.isChanged }

    /// Removes and returns the changes to requests since the last call, in the order of the layers' numbers.
    package mutating func takeOutboxChanges() -> [OutboxChange] {
        let (changed, unanswered) = layers.takeChangedRequests()
        return changed.map { number in
            guard let layer = layers.layers[number], let sending = layer.sending else {
                return OutboxChange(number: number, isUnanswered: unanswered.contains(number))
            }
            let entry = OutboxEntry(
                number: number, pendingID: layer.pendingID, library: libraries.name(of: layer.library),
                sending: sending, isBlocked: !layer.dependsOn.isEmpty,
                changesByteCount: sending.request.isReplaceable
                    ? layer.changes.reduce(0) { $0 + lineByteCount($1) } : 0)
            return OutboxChange(number: number, entry: entry)
        }
    }

    /// Returns the most bytes that a change takes in a line.
    private func lineByteCount(_ change: LayerChange) -> Int {
        // A name or an id takes six times its bytes if all of them are escaped.
        let names =
            types.name(of: change.key.type).bytes.count + (change.key.id.isUUID ? 36 : change.key.id.byteCount)
        let rest =
            switch change {
            case .put(_, let resource): resource.count
            case .patch(_, let fields, let unset): fields.count + unset.reduce(0) { $0 + 6 * $1.bytes.count + 3 }
            case .merge(_, let fields): fields.count
            case .removeField(_, let field): 6 * field.bytes.count
            case .delete: 0
            }
        return 128 + 6 * names + rest
    }

    /// Counts an attempt to send a layer's request. The caller sends it only once this is on disk.
    ///
    /// - Parameters:
    ///   - pendingID: The layer that sends. No effect if it is not pending.
    ///   - members: Newer layers whose input is sent with it from now on, and that settle with it. One that is not
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
        if !members.isEmpty, let begun = layers.layers[sender.number] { layers.keepSent(begun) }
    }

    /// Counts the failure of a layer's last attempt. The request will be sent again.
    package mutating func failAttempt(_ pendingID: ByteString) {
        guard let layer = layers.layer(named: pendingID) else { return }
        isUnwritten = true
        layers.changeSending(layer.number) { $0.fail() }
    }

    /// Records that a layer's request failed for good. The layer stays.
    package mutating func failRequest(_ pendingID: ByteString, _ failure: MutationFailure) {
        guard let layer = layers.layer(named: pendingID) else { return }
        isUnwritten = true
        layers.changeSending(layer.number) { sending in
            sending.fail()
            sending.failure = failure.bounded
        }
    }

    /// Makes a failed request be sent again.
    ///
    /// - Parameters:
    ///   - pendingID: The layer; its request may be sent by an older one.
    ///   - library: The layer's library; nil for any.
    /// - Returns: The number of the layer that sends the request; nil for a layer without a request.
    /// - Throws: ``LayerError/unknown(_:)``.
    package mutating func retryRequest(_ pendingID: ByteString, library: ByteString?) throws(LayerError) -> Int64? {
        let layer = try layer(pendingID, of: library)
        guard let sending = layer.sending else { return nil }
        let sender = sending.sentWith.flatMap { layers.layer(named: $0) } ?? layer
        guard sender.sending?.failure != nil else { return sender.number }
        isUnwritten = true
        layers.changeSending(sender.number) { $0.startAfresh() }
        return sender.number
    }

    /// Returns the layers that a rollback of a layer's request would remove, oldest first: those that the request
    /// serves, and all that depend on one of them. Each has the number of attempts made for it.
    package func layersRolledBack(with number: Int64) -> [(pendingID: ByteString, library: ByteString, attempt: Int)] {
        guard let sender = layers.layers[number] else { return [] }
        let group = layers.group(of: sender)
        var found: [Int64: Layer] = [:]
        for member in group {
            for layer in layers.withDependents(member.number) { found[layer.number] = layer }
        }
        let served = Set(group.map(\.number))
        return found.values.sorted { $0.number < $1.number }.map { layer in
            let sending = served.contains(layer.number) ? sender.sending : layer.sending
            return (layer.pendingID, libraries.name(of: layer.library), sending?.attemptCount ?? 0)
        }
    }

    /// Returns the pending ids of the layers that a layer's request serves, its own first.
    package func requestGroup(of number: Int64) -> [ByteString] {
        layers.layers[number].map { layers.group(of: $0).map(\.pendingID) } ?? []
    }

    /// Returns the input with which a layer's request is sent; nil without a request.
    package func requestInput(of number: Int64) -> [UInt8]? {
        layers.layers[number].flatMap { layers.outgoing($0)?.request.input }
    }

    /// Returns the changes with which a layer's request is sent, as they were requested, in order.
    package func requestChanges(of number: Int64) -> [(key: EntityKey, change: LayerChange)] {
        guard let layer = layers.layers[number] else { return [] }
        return (layers.outgoing(layer)?.changes ?? []).filter { !$0.isAlong }.map { (entityKey(of: $0.key), $0) }
    }
}

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
    /// The bytes that the changes of the layer take in a line, at most; 0 unless the request may be replaced.
    package var changesByteCount: Int

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

/// A layer whose request changed.
package struct OutboxChange: Sendable {
    /// The layer's number.
    package var number: Int64
    /// The request; nil for a layer that has settled or has nothing to send any more.
    package var entry: OutboxEntry?
    /// Whether the layer is gone, and only the server's answer can tell what became of its request.
    package var isUnanswered = false
}

/// The requests of layers.
///
/// - Source: Protocol/optimistic.md, the outbox.
extension CacheState {
    /// Whether a request was added, changed or removed since ``takeOutboxChanges()``.
    package var hasOutboxChanges: Bool { layers.requests.isChanged }

    /// Returns the layers whose requests changed since the last call, in the order of their numbers.
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

    /// Returns the bytes that a change takes in a line, at most.
    private func lineByteCount(_ change: LayerChange) -> Int {
        // A name or an id takes six times its bytes where all of them are escaped.
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
        if !members.isEmpty, let begun = layers.layers[sender.number] { layers.keepSent(begun) }
    }

    /// Counts the failure of a layer's last attempt; the request is sent again.
    package mutating func failAttempt(_ pendingID: ByteString) {
        guard let layer = layers.layer(named: pendingID) else { return }
        isUnwritten = true
        layers.changeSending(layer.number) { $0.fail() }
    }

    /// Notes that a layer's request failed for good. The layer stays.
    package mutating func failRequest(_ pendingID: ByteString, _ failure: MutationFailure) {
        guard let layer = layers.layer(named: pendingID) else { return }
        isUnwritten = true
        layers.changeSending(layer.number) { sending in
            sending.fail()
            sending.failure = failure.bounded
        }
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

    /// Returns the layers that a rollback of a layer's request would remove, oldest first: those that the request
    /// serves, and all that depend on one of them. Each has the number of attempts that were made for it.
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

    /// Returns the input with which a layer's request is sent.
    package func requestInput(of number: Int64) -> [UInt8]? {
        layers.layers[number].flatMap { layers.outgoing($0)?.request.input }
    }

    /// Returns the changes with which a layer's request is sent, as they were given, in order.
    package func requestChanges(of number: Int64) -> [(key: EntityKey, change: LayerChange)] {
        guard let layer = layers.layers[number] else { return [] }
        return (layers.outgoing(layer)?.changes ?? []).filter { !$0.isAlong }.map { (entityKey(of: $0.key), $0) }
    }
}

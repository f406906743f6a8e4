import TidemarkModel

/// Requests exactly as they were sent, for layers that have changed since or may change. An attempt under an
/// idempotency key is repeated unchanged (law L13).
///
/// A request that serves several layers is kept from its first attempt on. One that serves a single layer is kept when
/// an id in the layer's changes is renamed; until then the layer itself has it. Each layer has at most one.
///
/// - Source: Protocol/optimistic.md, the outbox.
struct SentRequests {
    /// A request as it was sent.
    struct Sent {
        /// The number of its row in the journal; no layer has the same number.
        var number: Int64
        var request: MutationRequest
        /// The changes of all layers that the request serves, in order.
        var changes: [LayerChange]
        /// True if the journal has a row for it, or a flush under way creates one.
        var hasRow = false

        var byteCount: Int { changes.reduce(request.byteCount) { $0 + $1.byteCount } }
    }

    /// The requests by the number of the layer that sends them.
    private var sent: [Int64: Sent] = [:]
    private(set) var byteCount = 0
    /// The layers whose requests the journal does not have yet.
    private var dirty: Set<Int64> = []
    /// The journal's rows of requests that were removed since the last flush.
    private var removed: [Int64] = []

    /// How many rows the next flush writes or removes.
    var changeCount: Int { dirty.count + removed.count }

    /// The request of a layer as it was sent; nil if none is kept.
    subscript(layer: Int64) -> Sent? { sent[layer] }

    /// Keeps a layer's request as it was sent. No effect if one is already kept.
    mutating func keep(_ request: Sent, of layer: Int64) {
        guard sent[layer] == nil else { return }
        sent[layer] = request
        byteCount += request.byteCount
        if !request.hasRow { dirty.insert(layer) }
    }

    /// Removes the request of a layer that has settled or was rolled back.
    mutating func remove(_ layer: Int64) {
        guard let old = sent.removeValue(forKey: layer) else { return }
        byteCount -= old.byteCount
        dirty.remove(layer)
        if old.hasRow { removed.append(old.number) }
    }

    // MARK: The journal

    /// Removes a row of the journal whose layer no longer exists.
    mutating func removeRow(_ number: Int64) { removed.append(number) }

    /// Moves every request that the journal does not have, and every removal, into a flush.
    ///
    /// - Parameter layer: Returns a layer by its number.
    mutating func drain(into flush: inout FlushBatch, _ layer: (Int64) -> Layer?) {
        for number in dirty.sorted() {
            guard let own = sent[number], let layer = layer(number) else { continue }
            flush.sentRequests.append(
                LayerRecord(
                    number: own.number, pendingID: layer.pendingID, library: layer.library,
                    createdAt: layer.createdAt, changes: own.changes, sending: LayerSending(own.request)))
            sent[number]?.hasRow = true
        }
        dirty = []
        flush.removedLayers += removed
        removed = []
    }

    /// Marks every request as unwritten, because the journal lost its data.
    mutating func markAllDirty() {
        removed = []
        for number in sent.keys { sent[number]?.hasRow = false }
        dirty = Set(sent.keys)
    }
}

import TidemarkModel

/// The requests that have left, as they left, where their layers have changed since or may change: an attempt under an
/// idempotency key is repeated unchanged. Law: L13.
///
/// A request that is sent for several layers is kept from its first attempt on; that of one layer when an id in its
/// changes is renamed. Until then the layer has it. Bounded by the layers: each has at most one.
///
/// - Source: Protocol/optimistic.md, the outbox.
struct SentRequests {
    /// A request as it left.
    struct Sent {
        /// The number of its row in the journal; no layer has it.
        var number: Int64
        var request: MutationRequest
        /// The changes of all layers that the request serves, in order.
        var changes: [LayerChange]
        /// Whether the journal has a row for it, or a flush under way writes one.
        var hasRow = false

        var byteCount: Int { changes.reduce(request.byteCount) { $0 + $1.byteCount } }
    }

    /// The requests by the number of the layer that sends.
    private var sent: [Int64: Sent] = [:]
    private(set) var byteCount = 0
    /// The layers whose requests the journal does not have.
    private var dirty: Set<Int64> = []
    /// The rows that the journal has and that were removed since the last flush.
    private var removed: [Int64] = []

    /// The number of rows that a flush would write or remove.
    var changeCount: Int { dirty.count + removed.count }

    subscript(layer: Int64) -> Sent? { sent[layer] }

    /// Keeps the request of a layer as it left; nothing happens when it is kept already.
    mutating func keep(_ request: Sent, of layer: Int64) {
        guard sent[layer] == nil else { return }
        sent[layer] = request
        byteCount += request.byteCount
        if !request.hasRow { dirty.insert(layer) }
    }

    mutating func remove(_ layer: Int64) {
        guard let old = sent.removeValue(forKey: layer) else { return }
        byteCount -= old.byteCount
        dirty.remove(layer)
        if old.hasRow { removed.append(old.number) }
    }

    // MARK: The journal

    /// Notes a row of the journal whose layer is gone.
    mutating func removeRow(_ number: Int64) { removed.append(number) }

    /// Adds every request that the journal does not have to a flush.
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

// Stage 5 of 7: base ⊕ layers. Before: EntityStore. After: QueryIndex. Laws: L2, L8, L9.

import TidemarkModel

/// The pending layers, and their effect on each entity that they name.
///
/// Entities are identified by their handles in the reverse index, and the stack does not store the base: whoever
/// changes the base of a layered entity must call ``fold(_:over:)``. The caller refuses layers past `layerCountMax`.
struct LayerStack: ~Copyable {
    /// One change of one layer.
    struct Touch: Hashable {
        var layer: Int64
        /// The index of the change in the layer.
        var change: Int
    }

    /// The effect of all layers on one entity.
    struct Overlay {
        /// The changes in the order in which they apply.
        var touches: [Touch] = []
        /// The visible resource; nil if none is visible.
        var visible: [UInt8]?
        /// True if nothing is visible because a layer deletes the entity.
        var isDeleted = false
    }

    private struct Log: Hashable {
        var library: LibraryIndex
        var generation: UInt32
    }

    private let place = StablePlace()
    /// The layers by number.
    private(set) var layers: [Int64: Layer] = [:]
    private var numbers: [ByteString: Int64] = [:]
    /// The overlays by handle: one for each entity that some layer names.
    private(set) var overlays: [ListHandle: Overlay] = [:]
    /// The layers that depend on another one, by the number of that one.
    private var dependents: [Int64: Set<Int64>] = [:]
    /// The confirmed layers that wait in each log, ascending by the sequence they wait for.
    private var awaiting: [Log: [(sequence: EventSequence, layer: Int64)]] = [:]
    private var lastNumber: Int64 = 0
    private(set) var byteCount = 0
    /// The layers that changed since the last flush. The number of layers bounds it.
    private var dirty: Set<Int64> = []
    /// The layers that were removed since the last flush and that the journal has.
    private var removed: [Int64] = []

    /// The requests of layers: groups, temporary ids, and what the outbox has not taken yet.
    private(set) var requests = LayerRequests()
    /// Requests as they were sent, for layers that have changed since.
    var sent = SentRequests()
    /// The temporary ids that were renamed.
    var renamings = Renamings()

    var isEmpty: Bool { layers.isEmpty }
    var count: Int { layers.count }
    /// True if some layer waits for a place in a log.
    var isAwaiting: Bool { !awaiting.isEmpty }
    /// How many rows the next flush writes or removes.
    var changeCount: Int { dirty.count + removed.count + sent.changeCount + renamings.changeCount }

    // MARK: Lookup

    func layer(named pendingID: ByteString) -> Layer? { numbers[pendingID].flatMap { layers[$0] } }

    /// All layers, oldest first.
    var all: [Layer] { layers.values.sorted { $0.number < $1.number } }

    /// Returns the layers that change an entity, oldest first, each once.
    func layers(over handle: ListHandle) -> [Layer] {
        var last: Int64?
        return (overlays[handle]?.touches ?? []).compactMap { touch in
            defer { last = touch.layer }
            return touch.layer == last ? nil : layers[touch.layer]
        }
    }

    /// Returns a layer and all that depend on it, directly or indirectly, oldest first.
    func withDependents(_ number: Int64) -> [Layer] {
        var found: Set<Int64> = [number]
        var rest = [number]
        while let next = rest.popLast() {
            for dependent in dependents[next] ?? [] where found.insert(dependent).inserted { rest.append(dependent) }
        }
        return found.sorted().compactMap { layers[$0] }
    }

    // MARK: Changes

    /// Adds a layer on top. The caller then folds the overlays of its handles.
    ///
    /// - Parameters:
    ///   - layer: A new layer, or one from the journal.
    ///   - handles: For each of its changes, in order, the handle of the entity.
    mutating func push(_ layer: Layer, handles: [ListHandle]) {
        lastNumber = max(lastNumber, layer.number)
        layers[layer.number] = layer
        numbers[layer.pendingID] = layer.number
        byteCount += layer.byteCount
        if !layer.hasRow { dirty.insert(layer.number) }
        for dependency in layer.dependsOn {
            if let other = numbers[dependency] { dependents[other, default: []].insert(layer.number) }
        }
        enqueue(layer)
        requests.add(layer)
        for (index, handle) in handles.enumerated() {
            overlays[handle, default: Overlay()].touches.append(Touch(layer: layer.number, change: index))
        }
    }

    var nextNumber: Int64 { lastNumber + 1 }

    /// Reserves a number for a record that is stored beside the layers.
    mutating func takeNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// Records the number of a stored record beside the layers, so that it is not used again.
    mutating func noteNumber(_ number: Int64) { lastNumber = max(lastNumber, number) }

    /// Removes a layer. Layers that depend on it no longer do.
    ///
    /// - Parameters:
    ///   - number: The layer's number.
    ///   - handles: The handles that ``push(_:handles:)`` received, as renamed since.
    mutating func remove(_ number: Int64, handles: Set<ListHandle>) {
        guard let layer = layers.removeValue(forKey: number) else { return }
        numbers.removeValue(forKey: layer.pendingID)
        byteCount -= layer.byteCount
        dequeue(layer)
        requests.remove(layer)
        sent.remove(number)
        dirty.remove(number)
        if layer.hasRow { removed.append(number) }
        for handle in handles {
            overlays[handle]?.touches.removeAll { $0.layer == number }
            if overlays[handle]?.touches.isEmpty == true { overlays.removeValue(forKey: handle) }
        }
        for dependency in layer.dependsOn {
            if let other = numbers[dependency] { dependents[other]?.remove(number) }
        }
        releaseDependents(of: layer)
    }

    /// Ends the dependency of other layers on this one.
    private mutating func releaseDependents(of layer: Layer) {
        for dependent in dependents.removeValue(forKey: layer.number) ?? [] where layers[dependent] != nil {
            byteCount -= layers[dependent]?.byteCount ?? 0
            layers[dependent]?.dependsOn.removeAll { $0 == layer.pendingID }
            byteCount += layers[dependent]?.byteCount ?? 0
            dirty.insert(dependent)
            requests.note(dependent)
        }
    }

    /// Marks a layer as committed: it waits for its place or its event, and its request is done.
    mutating func confirm(_ number: Int64, awaiting place: AwaitedPlace?) {
        guard var layer = layers[number] else { return }
        dequeue(layer)
        requests.remove(layer)
        sent.remove(number)
        byteCount -= layer.byteCount
        layer.isConfirmed = true
        layer.awaited = place
        layer.sending = nil
        byteCount += layer.byteCount
        layers[number] = layer
        dirty.insert(number)
        enqueue(layer)
        releaseDependents(of: layer)
    }

    private mutating func enqueue(_ layer: Layer) {
        guard let place = layer.awaited else { return }
        let log = Log(library: layer.library, generation: place.generation)
        var low = 0
        var high = awaiting[log]?.count ?? 0
        while low < high, let waiting = awaiting[log] {
            let middle = (low + high) / 2
            if waiting[middle].sequence <= place.sequence { low = middle + 1 } else { high = middle }
        }
        awaiting[log, default: []].insert((place.sequence, layer.number), at: low)
    }

    private mutating func dequeue(_ layer: Layer) {
        guard let place = layer.awaited else { return }
        let log = Log(library: layer.library, generation: place.generation)
        awaiting[log]?.removeAll { $0.layer == layer.number }
        if awaiting[log]?.isEmpty == true { awaiting[log] = nil }
    }

    /// Returns a layer whose awaited sequence the library's cursor has reached; nil if there is none.
    func reached(_ cursor: EventSequence, generation: UInt32, in library: LibraryIndex) -> Int64? {
        guard !awaiting.isEmpty, let first = awaiting[Log(library: library, generation: generation)]?.first else {
            return nil
        }
        return first.sequence <= cursor ? first.layer : nil
    }

    /// Returns true if layers wait for a place in an ended log of a library.
    func isAwaitingOther(_ generation: UInt32, in library: LibraryIndex) -> Bool {
        awaiting.keys.contains { $0.library == library && $0.generation != generation }
    }

    /// Returns the confirmed layers over an entity that wait for a place in an ended log.
    func layersOfEndedLog(over handle: ListHandle, generation: UInt32) -> [Int64] {
        (overlays[handle]?.touches ?? []).compactMap { touch in
            guard let awaited = layers[touch.layer]?.awaited, awaited.generation != generation else { return nil }
            return touch.layer
        }
    }

    /// Moves the changes of one entity to another one.
    mutating func rename(_ handle: ListHandle, to real: ListHandle, _ renamed: (LayerChange) -> LayerChange) {
        guard let overlay = overlays.removeValue(forKey: handle) else { return }
        for touch in overlay.touches {
            guard let layer = layers[touch.layer] else { continue }
            keepSent(layer)
            let change = layer.changes[touch.change]
            let new = renamed(change)
            layers[touch.layer]?.changes[touch.change] = new
            byteCount += new.byteCount - change.byteCount
            dirty.insert(touch.layer)
        }
        let touches = (overlays[real]?.touches ?? []) + overlay.touches
        overlays[real, default: Overlay()].touches = touches.sorted { ($0.layer, $0.change) < ($1.layer, $1.change) }
    }

    // MARK: Requests

    /// Changes the state of a layer's request.
    mutating func changeSending(_ number: Int64, _ body: (inout LayerSending) -> Void) {
        guard var layer = layers[number], layer.sending != nil else { return }
        byteCount -= layer.byteCount
        requests.remove(layer)
        if var sending = layer.sending {
            body(&sending)
            layer.sending = sending
        }
        layers[number] = layer
        requests.add(layer)
        byteCount += layer.byteCount
        dirty.insert(number)
    }

    /// Removes and returns the layers whose requests changed since the last call, ascending, with those that
    /// ``noteUnanswered(_:)`` recorded.
    mutating func takeChangedRequests() -> (changed: [Int64], unanswered: Set<Int64>) { requests.takeChanged() }

    /// Records that a layer is removed although its request was sent and has no answer yet.
    mutating func noteUnanswered(_ layer: Layer) {
        if let sending = layer.sending, sending.attemptCount > 0 { requests.noteUnanswered(layer.number) }
    }

    // MARK: Folding

    /// Recomputes the visible resource of an entity.
    ///
    /// - Parameters:
    ///   - handle: The entity. No effect if no layer names it.
    ///   - base: The stored resource; nil if none is stored.
    /// - Complexity: O(base + changes).
    mutating func fold(_ handle: ListHandle, over base: [UInt8]?) {
        guard let touches = overlays[handle]?.touches else { return }
        var value = base
        var isDeleted = false
        for touch in touches {
            guard let change = layers[touch.layer]?.changes[touch.change] else { continue }
            value = LayerFold.apply(change, to: value)
            if case .delete = change { isDeleted = true }
        }
        overlays[handle]?.visible = value
        overlays[handle]?.isDeleted = value == nil && isDeleted
    }

    /// Returns true if a layer replaces the whole entity, so that the visible resource has nothing of the base.
    func replaces(_ handle: ListHandle) -> Bool {
        (overlays[handle]?.touches ?? []).contains { touch in
            if case .put? = layers[touch.layer]?.changes[touch.change] { true } else { false }
        }
    }

    /// Returns true if one of the layer's patches shows nothing because the server deleted the entity.
    ///
    /// - Parameters:
    ///   - handles: For each change of the layer, in order, the handle of the entity.
    ///   - base: Returns the stored resource of a handle, and whether the key has a tombstone.
    func isOrphaned(_ layer: Layer, handles: [ListHandle], base: (ListHandle) -> (resource: [UInt8]?, isDeleted: Bool))
        -> Bool
    {
        layer.changes.indices.contains { index in
            switch layer.changes[index] {
            case .put, .delete: return false
            case .patch, .merge, .removeField: break
            }
            let (resource, isDeleted) = base(handles[index])
            guard isDeleted, let touches = overlays[handles[index]]?.touches else { return false }
            var value = resource
            for touch in touches {
                if touch == Touch(layer: layer.number, change: index) { break }
                guard let below = layers[touch.layer]?.changes[touch.change] else { continue }
                value = LayerFold.apply(below, to: value)
            }
            return value == nil
        }
    }

    // MARK: The journal

    /// Moves every layer that changed since the last flush into a flush, as complete records, and every removal.
    mutating func drain(into flush: inout FlushBatch) {
        for number in dirty.sorted() {
            guard let layer = layers[number] else { continue }
            flush.layers.append(layer.record)
            layers[number]?.hasRow = true
        }
        dirty.removeAll()
        flush.removedLayers = removed
        removed = []
        sent.drain(into: &flush) { layers[$0] }
        renamings.drain(into: &flush)
    }

    /// Marks every layer as unwritten, because the journal lost its data.
    mutating func markAllDirty() {
        removed = []
        sent.markAllDirty()
        renamings.markAllDirty()
        for number in layers.keys {
            layers[number]?.hasRow = false
            dirty.insert(number)
        }
    }
}

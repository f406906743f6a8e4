// Stage 5 of 7: base ⊕ layers. Before: EntityStore. After: QueryIndex. Laws: L2, L8, L9.

import TidemarkModel

/// The layers that have not settled, and what they make of each entity they name.
///
/// It knows entities by their number in the reverse index, and holds no base: whoever changes the base of a layered
/// entity calls ``fold(_:over:)``. At `layerCountMax` one more layer is refused.
struct LayerStack {
    /// One change for one entity.
    struct Touch: Hashable {
        var layer: Int64
        /// Among the layer's changes.
        var change: Int
    }

    /// What layers make of one entity.
    struct Overlay {
        /// In the order in which they apply.
        var touches: [Touch] = []
        /// nil when nothing is to be seen.
        var visible: [UInt8]?
        /// It is not to be seen because a layer deletes it.
        var isDeleted = false
    }

    private struct Log: Hashable {
        var library: LibraryIndex
        var generation: UInt32
    }

    /// By number.
    private(set) var layers: [Int64: Layer] = [:]
    private var numbers: [ByteString: Int64] = [:]
    /// By handle. A layered entity has an entry as long as a layer names it.
    private(set) var overlays: [UInt32: Overlay] = [:]
    /// Layers by the number of one that they depend on.
    private var dependents: [Int64: Set<Int64>] = [:]
    /// Confirmed layers by the log they wait in, ascending by the sequence they wait for.
    private var awaiting: [Log: [(sequence: EventSequence, layer: Int64)]] = [:]
    private var lastNumber: Int64 = 0
    private(set) var byteCount = 0
    /// Changed since the last flush. Bounded by the number of layers.
    private var dirty: Set<Int64> = []
    /// Gone since the last flush, and with the journal.
    private var removed: [Int64] = []

    var isEmpty: Bool { layers.isEmpty }
    var count: Int { layers.count }
    /// Whether some layer waits for a cursor.
    var isAwaiting: Bool { !awaiting.isEmpty }
    /// Layers that a flush would write or remove.
    var changeCount: Int { dirty.count + removed.count }

    // MARK: Finding

    func layer(named pendingID: ByteString) -> Layer? { numbers[pendingID].flatMap { layers[$0] } }

    /// Oldest first.
    var all: [Layer] { layers.values.sorted { $0.number < $1.number } }

    /// The layers of an entity, oldest first, each once.
    func layers(over handle: UInt32) -> [Layer] {
        var last: Int64?
        return (overlays[handle]?.touches ?? []).compactMap { touch in
            defer { last = touch.layer }
            return touch.layer == last ? nil : layers[touch.layer]
        }
    }

    /// A layer and all that depend on it, directly or not, oldest first.
    func withDependents(_ number: Int64) -> [Layer] {
        var found: Set<Int64> = [number]
        var rest = [number]
        while let next = rest.popLast() {
            for dependent in dependents[next] ?? [] where found.insert(dependent).inserted { rest.append(dependent) }
        }
        return found.sorted().compactMap { layers[$0] }
    }

    // MARK: Changing

    /// Lays a layer on top. Its handles' overlays are folded by the caller.
    ///
    /// - Parameter handles: Of the entities that its changes name, in order.
    mutating func push(_ layer: Layer, handles: [UInt32]) {
        lastNumber = max(lastNumber, layer.number)
        layers[layer.number] = layer
        numbers[layer.pendingID] = layer.number
        byteCount += layer.byteCount
        if !layer.hasRow { dirty.insert(layer.number) }
        for dependency in layer.dependsOn {
            if let other = numbers[dependency] { dependents[other, default: []].insert(layer.number) }
        }
        enqueue(layer)
        for (index, handle) in handles.enumerated() {
            overlays[handle, default: Overlay()].touches.append(Touch(layer: layer.number, change: index))
        }
    }

    var nextNumber: Int64 { lastNumber + 1 }

    /// Takes a layer away; those that depended on it depend on it no more.
    ///
    /// - Parameter handles: As they were given to ``push(_:handles:)``, or renamed since.
    mutating func remove(_ number: Int64, handles: Set<UInt32>) {
        guard let layer = layers.removeValue(forKey: number) else { return }
        numbers.removeValue(forKey: layer.pendingID)
        byteCount -= layer.byteCount
        dequeue(layer)
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

    /// What depended on a layer depends on it no more.
    private mutating func releaseDependents(of layer: Layer) {
        for dependent in dependents.removeValue(forKey: layer.number) ?? [] where layers[dependent] != nil {
            byteCount -= layers[dependent]?.byteCount ?? 0
            layers[dependent]?.dependsOn.removeAll { $0 == layer.pendingID }
            byteCount += layers[dependent]?.byteCount ?? 0
            dirty.insert(dependent)
        }
    }

    /// A layer is committed and waits.
    mutating func confirm(_ number: Int64, awaiting place: AwaitedPlace?) {
        guard var layer = layers[number] else { return }
        dequeue(layer)
        layer.isConfirmed = true
        layer.awaited = place
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

    /// A layer whose time has come: its library's cursor reached the sequence it waits for.
    func reached(_ cursor: EventSequence, generation: UInt32, in library: LibraryIndex) -> Int64? {
        guard !awaiting.isEmpty, let first = awaiting[Log(library: library, generation: generation)]?.first else {
            return nil
        }
        return first.sequence <= cursor ? first.layer : nil
    }

    /// Whether layers wait for a place in a log of a library that is over.
    func isAwaitingOther(_ generation: UInt32, in library: LibraryIndex) -> Bool {
        awaiting.keys.contains { $0.library == library && $0.generation != generation }
    }

    /// Confirmed layers over an entity that wait for a place in a log that is over.
    func outlived(over handle: UInt32, generation: UInt32) -> [Int64] {
        (overlays[handle]?.touches ?? []).compactMap { touch in
            guard let awaited = layers[touch.layer]?.awaited, awaited.generation != generation else { return nil }
            return touch.layer
        }
    }

    /// Gives an entity's changes to another one.
    mutating func rename(_ handle: UInt32, to real: UInt32, _ renamed: (LayerChange) -> LayerChange) {
        guard let overlay = overlays.removeValue(forKey: handle) else { return }
        for touch in overlay.touches {
            guard let change = layers[touch.layer]?.changes[touch.change] else { continue }
            let new = renamed(change)
            layers[touch.layer]?.changes[touch.change] = new
            byteCount += new.byteCount - change.byteCount
            dirty.insert(touch.layer)
        }
        let touches = (overlays[real]?.touches ?? []) + overlay.touches
        overlays[real, default: Overlay()].touches = touches.sorted { ($0.layer, $0.change) < ($1.layer, $1.change) }
    }

    // MARK: Folding

    /// Computes what is to be seen of an entity from its base.
    ///
    /// - Parameter base: nil when nothing is stored.
    /// - Complexity: O(base + changes).
    mutating func fold(_ handle: UInt32, over base: [UInt8]?) {
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

    /// Whether what is to be seen of an entity has nothing of its base.
    func replaces(_ handle: UInt32) -> Bool {
        (overlays[handle]?.touches ?? []).contains { touch in
            if case .put? = layers[touch.layer]?.changes[touch.change] { true } else { false }
        }
    }

    /// When layers wrote the fields of an entity.
    struct Dates {
        /// Milliseconds since 1970; nil while no layer has replaced the whole.
        var whole: Int64?
        /// By top-level field.
        var named: [ByteString: Int64] = [:]

        /// - Parameter base: When the stored one was written; nil when nothing is stored.
        func date(of field: ByteString, base: Int64?) -> Int64? { named[field] ?? whole ?? base }
    }

    func dates(over handle: UInt32) -> Dates {
        var dates = Dates()
        for touch in overlays[handle]?.touches ?? [] {
            guard let layer = layers[touch.layer] else { continue }
            switch layer.changes[touch.change] {
            case .put:
                dates = Dates(whole: layer.createdAt)
            case .patch(_, let fields, _):
                guard !fields.isEmpty else { continue }
                for name in fields.withUnsafeBytes({ JSONObject.fieldNames(of: $0) }) {
                    dates.named[name] = layer.createdAt
                }
            case .removeField: break
            case .delete: dates = Dates()
            }
        }
        return dates
    }

    /// Whether a layer has a patch that lies over nothing because the server deleted the entity.
    ///
    /// - Parameter base: The stored resource of a handle, and whether it has a tombstone.
    func isOrphaned(_ layer: Layer, handles: [UInt32], base: (UInt32) -> (resource: [UInt8]?, isDeleted: Bool)) -> Bool
    {
        layer.changes.indices.contains { index in
            switch layer.changes[index] {
            case .put, .delete: return false
            case .patch, .removeField: break
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

    /// Hands over every layer that changed since the last flush, whole.
    mutating func take(into flush: inout FlushBatch) {
        for number in dirty.sorted() {
            guard let layer = layers[number] else { continue }
            flush.layers.append(layer.record)
            layers[number]?.hasRow = true
        }
        dirty.removeAll()
        flush.removedLayers = removed
        removed = []
    }

    /// The journal lost what it had.
    mutating func markAllDirty() {
        removed = []
        for number in layers.keys {
            layers[number]?.hasRow = false
            dirty.insert(number)
        }
    }
}

import TidemarkJSON
import TidemarkModel

/// Why a layer was not made, committed or rolled back. Nothing has changed.
package enum LayerError: Error, Hashable, Sendable {
    /// Another pending layer has that pending id.
    case duplicate(ByteString)
    /// No layer has that pending id.
    case unknown(ByteString)
    /// The update has no changes.
    case noChanges
    /// There are `layerCountMax` layers.
    case tooManyLayers
    /// The layers would have more bytes than `layerByteCountMax` allows.
    case tooManyBytes
    /// A resource of an update or of a commit is unusable: its index among the steps, and the reason.
    case badResource(step: Int, reason: QuarantineReason)
    /// A patch would give the entity another id.
    case changesIdentity(step: Int)
    /// Neither the commit nor the layer determines the type of a confirmed resource.
    case typeless(step: Int)
    /// There are `libraryCountMax` libraries.
    case tooManyLibraries
    /// There are `typeCountMax` types.
    case tooManyTypes
    /// An entity would be too large. `step` is nil for an entity that only receives its real id.
    case tooLarge(step: Int?, type: ByteString, id: ByteString, byteCountMax: Int)
}

/// A mutation to show as a layer over the base, with the parts that the wire has checked.
package struct LayerUpdate: Sendable {
    /// The id that names the layer.
    package var pendingID: ByteString
    /// The library's name.
    package var library: ByteString
    /// The changes of the layer, in order.
    package var steps: [TransactionStep]
    /// The pending ids of the layers that this one depends on.
    package var dependsOn: [ByteString]
    /// The request that the cache sends for the layer; nil if the host sends it.
    package var request: MutationRequest?

    /// Creates an update from its parts.
    package init(
        pendingID: ByteString, library: ByteString, steps: [TransactionStep], dependsOn: [ByteString],
        request: MutationRequest? = nil
    ) {
        self.pendingID = pendingID
        self.library = library
        self.steps = steps
        self.dependsOn = dependsOn
        self.request = request
    }
}

/// A layer as it is reported to hosts.
package struct LayerStatus: Sendable {
    /// The id that names the layer.
    package var pendingID: ByteString
    /// The library's name.
    package var library: ByteString
    /// True if the layer is committed and waits for its sequence or its event.
    package var isConfirmed: Bool
    /// True if a patch of the layer shows nothing, because its entity was deleted.
    package var isOrphaned: Bool
    /// The changes as they were requested.
    package var changes: [(key: EntityKey, change: LayerChange)]
    /// The entities that its deletes delete along.
    package var along: [EntityKey]
    /// The pending ids of the layers that this one depends on.
    package var dependsOn: [ByteString]
}

extension CacheState {
    /// How many layers are pending.
    package var layerCount: Int { layers.count }

    /// Returns the layers, oldest first.
    ///
    /// - Parameter library: The library's name; nil for every library.
    /// - Complexity: O(layers + changes), plus a fold for each patch over a deleted entity.
    package func layerStatuses(library: ByteString?) -> [LayerStatus] {
        layers.all.compactMap { layer in
            let name = libraries.name(of: layer.library)
            guard library ?? name == name else { return nil }
            return LayerStatus(
                pendingID: layer.pendingID, library: name, isConfirmed: layer.isConfirmed,
                isOrphaned: isOrphaned(layer),
                changes: layer.changes.filter { !$0.isAlong }.map { (entityKey(of: $0.key), $0) },
                along: layer.changes.filter(\.isAlong).map { entityKey(of: $0.key) }, dependsOn: layer.dependsOn)
        }
    }

    func entityKey(of key: StoredKey) -> EntityKey {
        EntityKey(
            library: libraries.name(of: key.library), type: types.name(of: key.type), id: key.id.text)
    }

    func isOrphaned(_ layer: Layer) -> Bool {
        // Without a tombstone no delete is known.
        guard layer.changes.contains(where: { tombstones[$0.key] != nil }) else { return false }
        return layers.isOrphaned(layer, handles: handles(of: layer)) { handle in
            let key = queries.keys.key(of: handle)
            let index = withIdentity(key) { entities.find($0) }
            return (index.map { Array(entities.payload(of: $0)) }, tombstones[key] != nil)
        }
    }

    /// Returns the handles of a layer's keys, in the order of its changes.
    func handles(of layer: Layer) -> [ListHandle] {
        layer.changes.map { change in
            guard let handle = queries.keys.handle(of: change.key) else {
                // No input reaches it: a key of a pending layer keeps its number until the layer is settled.
                preconditionFailure("layer \(layer.number) has a change for an entity without a number")
            }
            return handle
        }
    }

    // MARK: Laying

    /// Lays a mutation over the base, as one unit.
    ///
    /// - Throws: ``LayerError``; then nothing has changed.
    /// - Precondition: The keys that ``keysToLoad(for:in:)`` returned for its steps are in memory.
    package mutating func lay(_ given: LayerUpdate, at now: Int64) throws(LayerError) {
        let update = renamed(given)
        guard layers.layer(named: update.pendingID) == nil else { throw .duplicate(update.pendingID) }
        guard !update.steps.isEmpty else { throw .noChanges }
        for dependency in update.dependsOn where layers.layer(named: dependency) == nil { throw .unknown(dependency) }
        guard layers.count < configuration.limits.layerCountMax else { throw .tooManyLayers }
        guard let library = update.library.bytes.withUnsafeBytes({ libraries.admit($0) }) else {
            throw .tooManyLibraries
        }
        var changes: [LayerChange] = []
        // For each change, the number of its step.
        var stepNumbers: [Int] = []
        // The values of entities after the changes so far. Later deletes that cascade read them.
        var changed: [StoredKey: [UInt8]?] = [:]
        for (number, step) in update.steps.enumerated() {
            let change = try change(of: step, number, in: library)
            changes.append(change)
            stepNumbers.append(number)
            guard !cascades.isEmpty else { continue }
            if case .delete(let key, _) = change {
                for other in cascade(from: key, over: { changed[$0] }, isVisible: true) {
                    changes.append(.delete(other, isAlong: true))
                    stepNumbers.append(number)
                    changed.updateValue(nil, forKey: other)
                }
            }
            let below = changed[change.key] ?? visibleResource(change.key)
            changed.updateValue(LayerFold.apply(change, to: below), forKey: change.key)
        }
        // The server has performed the confirmed layers, so nothing depends on them any more.
        let dependsOn = update.dependsOn.filter { layers.layer(named: $0)?.isConfirmed != true }
        let layer = Layer(
            number: layers.nextNumber, pendingID: update.pendingID, library: library, createdAt: now, changes: changes,
            dependsOn: dependsOn, sending: update.request.map { LayerSending($0) })
        guard layers.byteCount + layers.sent.byteCount + layer.byteCount <= layerByteCountMax else {
            throw .tooManyBytes
        }
        if let place = firstOversized(layer) { throw tooLarge(changes[place].key, step: stepNumbers[place]) }
        isUnwritten = true
        beginUnit(isMulti: Set(changes.map(\.key)).count > 1)
        let handles = changes.map { queries.keys.admit($0.key) }
        let distinct = Set(handles).sorted()
        for handle in distinct {
            keepPayloadBefore(of: handle)
            noteObserved(handle)
            queries.keys.setLayered(handle, true)
        }
        layers.push(layer, handles: handles)
        endRenamings(of: layer)
        for handle in distinct { refold(handle, at: now) }
        endUnit(at: now)
    }

    /// Keeps the value of an entity that observers saw, stored or not; see ``keepPayloadBefore(of:at:)``.
    mutating func keepPayloadBefore(of handle: ListHandle) {
        keepPayloadBefore(of: handle, at: withIdentity(queries.keys.key(of: handle)) { entities.find($0) })
    }

    private mutating func change(
        of step: TransactionStep, _ number: Int, in library: LibraryIndex
    ) throws(LayerError) -> LayerChange {
        switch step {
        case .put(let given):
            let (key, resource) = try put(given, number, in: library, type: nil)
            return .put(key, resource: resource)
        case .patch(let type, let id, let fields, let unset):
            let key = try key(type, id, in: library)
            let names = fields.isEmpty ? [] : fields.withUnsafeBytes { JSONObject.fieldNames(of: $0) }
            try checkIdentity(of: key, names + unset, number)
            return .patch(key, fields: fields, unset: unset)
        case .keyedPut(let type, let id, let resource):
            return .put(try key(type, id, in: library), resource: resource)
        case .merge(let type, let id, let fields):
            return .merge(try key(type, id, in: library), fields: fields)
        case .removeField(let type, let id, let field):
            let key = try key(type, id, in: library)
            try checkIdentity(of: key, [field], number)
            return .removeField(key, field)
        case .delete(let type, let id):
            return .delete(try key(type, id, in: library))
        // No input reaches it: an edit with a removal is refused with its params.
        case .remove: preconditionFailure("a layer forgets nothing: step \(number)")
        }
    }

    /// Returns the key and the resource of a put.
    ///
    /// - Parameter type: The type to use; nil for the put's own.
    mutating func put(
        _ given: PutResource, _ number: Int, in library: LibraryIndex, type: TypeIndex?
    ) throws(LayerError) -> (StoredKey, [UInt8]) {
        if let reason = given.reason { throw .badResource(step: number, reason: reason) }
        let (ownType, id, resource) = given.withResource { name, id, resource in
            (type ?? admitType(name), id, Array(resource))
        }
        guard let ownType else { throw .tooManyTypes }
        return (StoredKey(library: library, type: ownType, id: id), resource)
    }

    private mutating func key(
        _ type: ByteString, _ id: ByteString, in library: LibraryIndex
    ) throws(LayerError) -> StoredKey {
        guard let index = type.bytes.withUnsafeBytes({ admitType($0) }) else { throw .tooManyTypes }
        return StoredKey(library: library, type: index, id: StoredID(EntityKey.canonicalID(id)))
    }

    /// Refuses a patch of fields that identify the entity.
    private func checkIdentity(of key: StoredKey, _ names: [ByteString], _ number: Int) throws(LayerError) {
        if names.contains("id") { throw .changesIdentity(step: number) }
        guard names.contains("uuid") else { return }
        let handle = queries.keys.handle(of: key)
        let seen: [UInt8]? =
            if let handle, queries.keys.isLayered(handle) {
                layers.overlays[handle]?.visible
            } else {
                withIdentity(key) { entities.find($0) }.map { Array(entities.payload(of: $0)) }
            }
        let hasID = seen?.withUnsafeBytes { JSONObject($0, range: 0..<$0.count).value(named: "id") != nil } ?? true
        if !hasID { throw .changesIdentity(step: number) }
    }

    // MARK: Settling

    /// Rolls back a layer and those that depend on it, as one unit.
    ///
    /// - Parameter library: The layer's library; nil for any.
    /// - Throws: ``LayerError/unknown(_:)``.
    package mutating func rollBack(
        _ pendingID: ByteString, library: ByteString?, at now: Int64
    ) throws(LayerError) {
        let gone = layers.withDependents(try layer(pendingID, of: library).number)
        isUnwritten = true
        beginUnit(isMulti: Set(gone.flatMap { $0.changes.map(\.key) }).count > 1)
        let numbers = Set(gone.map(\.number))
        for layer in gone {
            layers.releaseGroup(of: layer, except: numbers)
            layers.noteUnanswered(layer)
        }
        drop(gone, at: now)
        endUnit(at: now)
    }

    func layer(_ pendingID: ByteString, of library: ByteString?) throws(LayerError) -> Layer {
        guard let layer = layers.layer(named: pendingID) else { throw .unknown(pendingID) }
        let own = libraries.name(of: layer.library)
        guard library ?? own == own else { throw .unknown(pendingID) }
        return layer
    }

    /// Removes settled layers inside a unit, and updates lists.
    mutating func drop(_ gone: [Layer], at now: Int64) {
        guard !gone.isEmpty else { return }
        isUnwritten = true
        let handles = gone.map { Set(self.handles(of: $0)) }
        let all = handles.reduce(into: Set<ListHandle>()) { $0.formUnion($1) }.sorted()
        for handle in all {
            keepPayloadBefore(of: handle)
            noteObserved(handle)
        }
        for (layer, own) in zip(gone, handles) { layers.remove(layer.number, handles: own) }
        for handle in all {
            if layers.overlays[handle] == nil { queries.keys.setLayered(handle, false) }
            refold(handle, at: now)
        }
    }

    // MARK: The journal

    /// Restores a layer from the journal. ``activateLayers(at:)`` computes its effect.
    mutating func restore(_ record: LayerRecord) {
        guard libraries.contains(record.library),
            record.changes.allSatisfy({ types.contains($0.key.type) })
        else { return }
        let handles = record.changes.map { queries.keys.admit($0.key) }
        for handle in handles { queries.keys.setLayered(handle, true) }
        layers.push(Layer(record), handles: handles)
    }

    /// Restores what the journal stores beside layers: sent requests and renamings.
    mutating func restoreRequests(_ recovered: RecoveredState) {
        for record in recovered.sentRequests
        where record.changes.allSatisfy({ types.contains($0.key.type) && libraries.contains($0.key.library) }) {
            layers.restoreSent(record)
        }
        for record in recovered.renamings
        where libraries.contains(record.library) && record.type.map({ types.contains($0) }) ?? true {
            layers.noteNumber(record.number)
            layers.renamings.restore(record)
        }
        // Files of older versions do not have the sent requests of groups.
        layers.keepSentGroups()
    }

    /// Returns the keys that layers name and that only the journal may have.
    package func keysToLoadForLayers() -> [StoredKey] {
        guard residency.hasAbsent else { return [] }
        return layers.overlays.keys.sorted().map { queries.keys.key(of: $0) }
            .filter { key in withIdentity(key) { entities.find($0) } == nil }
    }

    /// Computes the effect of restored layers on entities and lists.
    ///
    /// - Precondition: The ``keysToLoadForLayers()`` were loaded.
    package mutating func activateLayers(at now: Int64) {
        beginUnit(isMulti: true)
        for handle in layers.overlays.keys.sorted() { refold(handle, at: now) }
        endUnit(at: now)
        clearLog()
    }
}

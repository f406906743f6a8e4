import TidemarkModel

/// Temporary ids that are replaced by real ones: in layers, in lists, and for observers.
extension CacheState {
    /// Returns the types under which layers of a library name an id, ascending.
    func typesNaming(_ id: ByteString, in library: LibraryIndex) -> [TypeIndex] {
        types.indexes.filter { type in
            let key = StoredKey(library: library, type: type, id: StoredID(id))
            return queries.keys.handle(of: key).map { queries.keys.isLayered($0) } ?? false
        }
    }

    /// Replaces a temporary id by the real one everywhere, inside a larger unit.
    mutating func rename(_ id: LayerConfirmation.RealID, in library: LibraryIndex, at now: Int64) {
        guard StoredID(id.temporary) != StoredID(id.real) else { return }
        for type in typesNaming(id.temporary, in: library) {
            let temporary = StoredKey(library: library, type: type, id: StoredID(id.temporary))
            let real = StoredKey(library: library, type: type, id: StoredID(id.real))
            guard let old = queries.keys.handle(of: temporary) else { continue }
            rename(old, to: real, json: id.json, at: now)
        }
    }

    private mutating func rename(_ old: ListHandle, to key: StoredKey, json: [UInt8], at now: Int64) {
        let new = queries.keys.admit(key)
        for handle in [old, new] {
            keepPayloadBefore(of: handle)
            noteObserved(handle)
        }
        replacePlaces(of: old, by: new)
        queries.keys.setLayered(new, true)
        layers.rename(old, to: new) { change in
            switch change {
            case .put(_, let resource): .put(key, resource: CacheState.renamed(resource, json))
            case .patch(_, let fields, let unset): .patch(key, fields: fields, unset: unset)
            case .merge(_, let fields):
                .merge(key, fields: CacheState.namesID(fields) ? CacheState.renamed(fields, json) : fields)
            case .removeField(_, let field): .removeField(key, field)
            case .delete(_, let isAlong): .delete(key, isAlong: isAlong)
            }
        }
        queries.keys.setLayered(old, false)
        moveBase(of: old, to: key, json: json, at: now)
        refold(old, at: now)
        refold(new, at: now)
        if queries.keys.observerCount(of: old) > 0 { queries.recorder.noteRenamed(old, to: new) }
    }

    /// Replaces the temporary entity by the real one in lists that are in the server's order.
    private mutating func replacePlaces(of old: ListHandle, by new: ListHandle) {
        for place in stride(from: queries.keys.holderCount(of: old) - 1, through: 0, by: -1) {
            let holder = queries.keys.holder(of: old, at: place)
            guard queries[holder.query].membership == nil else { continue }
            if queries.holds(new, holder.query) {
                queries.remove(holder.node, of: holder.query)
            } else {
                queries.retarget(holder.node, to: new, in: holder.query)
            }
        }
    }

    /// Returns the resource that a stored entity under a temporary id will have under the real one; nil when there will
    /// be none.
    func renamedBase(_ id: LayerConfirmation.RealID, type: TypeIndex, in library: LibraryIndex) -> [UInt8]? {
        let temporary = StoredKey(library: library, type: type, id: StoredID(id.temporary))
        let real = StoredKey(library: library, type: type, id: StoredID(id.real))
        guard let index = withIdentity(temporary, { entities.find($0) }),
            entities.completeness(of: index) == .whole, withIdentity(real, { entities.find($0) }) == nil
        else { return nil }
        return CacheState.renamed(Array(entities.payload(of: index)), id.json)
    }

    /// Moves a stored entity from the temporary id to the real one, unless an entity is stored there.
    private mutating func moveBase(of old: ListHandle, to key: StoredKey, json: [UInt8], at now: Int64) {
        guard let index = withIdentity(queries.keys.key(of: old), { entities.find($0) }) else { return }
        let stamp = entities.stamp(of: index)
        let isWhole = entities.completeness(of: index) == .whole
        let resource = CacheState.renamed(Array(entities.payload(of: index)), json)
        residency.forget(queries.keys.key(of: old))
        // Of the temporary id nothing is left: a late event must not make an entity of it again.
        noteForgotten(in: key.library)
        _ = drop(index)
        for place in stride(from: queries.keys.holderCount(of: old) - 1, through: 0, by: -1) {
            let holder = queries.keys.holder(of: old, at: place)
            if !queries.isExtra(holder) { queries.remove(holder.node, of: holder.query) }
        }
        guard isWhole, withIdentity(key, { entities.find($0) }) == nil else { return }
        tombstones.remove(key)
        key.withIdentity(seed: entities.seed) { identity in
            _ = resource.withUnsafeBytes { insert(identity, $0, stamp: stamp) }
        }
    }

    /// Whether the fields of a merge have the id: those of an answer often do.
    private static func namesID(_ fields: [UInt8]) -> Bool {
        fields.withUnsafeBytes { JSONObject($0, range: 0..<$0.count).value(named: "id") != nil }
    }

    /// Returns a resource with another id.
    ///
    /// - Parameter json: The id as a JSON string.
    private static func renamed(_ resource: [UInt8], _ json: [UInt8]) -> [UInt8] {
        resource.withUnsafeBytes { resource in
            let hasID =
                JSONObject(resource, range: 0..<resource.count).value(named: "id")
                .map { resource[$0.lowerBound] != UInt8(ascii: "n") } ?? false
            let field = Array((hasID ? #"{"id":"# : #"{"uuid":"#).utf8) + json + Array("}".utf8)
            return field.withUnsafeBytes { Merge.assigned($0, into: resource) }
        }
    }

    // MARK: Observers

    /// Moves the observers of an entity to the entity it became.
    mutating func logRenamed() {
        for (old, new) in queries.recorder.renamed {
            let key = queries.keys.key(of: new)
            queries.recorder.append(
                .renamed(
                    from: old, to: new,
                    EntityKey(
                        library: libraries.name(of: key.library), type: types.name(of: key.type),
                        id: key.id.text)))
            for _ in 0..<queries.keys.observerCount(of: old) {
                queries.keys.addObserver(new)
                queries.keys.removeObserver(old)
            }
        }
    }
}

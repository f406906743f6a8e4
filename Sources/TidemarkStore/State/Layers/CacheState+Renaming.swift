import TidemarkJSON
import TidemarkModel

/// Replaces temporary ids by real ones: in layers, in lists, and for observers.
extension CacheState {
    /// Returns the types under which layers of a library name an id, ascending.
    func typesNaming(_ id: ByteString, in library: LibraryIndex) -> [TypeIndex] {
        types.indexes.filter { type in
            let key = StoredKey(library: library, type: type, id: StoredID(id))
            return queries.keys.handle(of: key).map { queries.keys.isLayered($0) } ?? false
        }
    }

    /// Replaces a temporary id by the real one everywhere and in later edits, inside a larger unit.
    ///
    /// - Parameters:
    ///   - id: The temporary and the real id.
    ///   - only: The entity's type; nil for every type under which layers of the library name the id.
    mutating func rename(
        _ id: LayerConfirmation.RealID, as only: TypeIndex? = nil, in library: LibraryIndex, at now: Int64
    ) {
        let (temporary, real) = (id.temporary, id.real)
        guard StoredID(temporary) != StoredID(real) else { return }
        let all = typesNaming(temporary, in: library)
        // If the renaming is already known, a newer entity may have the temporary id by now; that one is not renamed.
        let types = all.filter { type in
            (only ?? type) == type && !layers.renamings.isEnded(temporary, to: real, type: type, in: library)
        }
        if all.isEmpty, layers.renamings.isEnded(temporary, to: real, type: nil, in: library) { return }
        let temporaryID = StoredID(temporary)
        layers.renameInputs(temporary, to: id.json, in: library) { layer in
            let own = layer.changes.lazy.map(\.key).filter { $0.id == temporaryID }
            return own.isEmpty ? types == all : own.contains { types.contains($0.type) }
        }
        for type in types {
            let old = StoredKey(library: library, type: type, id: temporaryID)
            guard let handle = queries.keys.handle(of: old) else { continue }
            rename(handle, to: StoredKey(library: library, type: type, id: StoredID(real)), json: id.json, at: now)
        }
        let isUntyped =
            all.isEmpty && only == nil && !layers.renamings.isKnown(temporary, to: real, in: library)
        for type in isUntyped ? [nil] : types.map({ Optional($0) }) {
            let number = layers.takeNumber()
            layers.renamings.learn(
                RenamingRecord(
                    number: number, library: library, type: type, temporary: temporary, real: real, json: id.json))
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
            case .merge(_, let fields): .merge(key, fields: CacheState.renamedPart(fields, json))
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

    /// Replaces the temporary entity by the real one in lists that keep the server's order.
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

    /// Returns the resource that a stored entity under a temporary id will have under the real one; nil if none will be
    /// stored.
    func renamedBase(_ id: LayerConfirmation.RealID, type: TypeIndex, in library: LibraryIndex) -> [UInt8]? {
        let temporary = StoredKey(library: library, type: type, id: StoredID(id.temporary))
        let real = StoredKey(library: library, type: type, id: StoredID(id.real))
        guard let index = withIdentity(temporary, { entities.find($0) }),
            entities.completeness(of: index) == .whole, withIdentity(real, { entities.find($0) }) == nil
        else { return nil }
        return CacheState.renamed(Array(entities.payload(of: index)), id.json)
    }

    /// Moves a stored entity from the temporary id to the real one, unless an entity is already stored there.
    private mutating func moveBase(of old: ListHandle, to key: StoredKey, json: [UInt8], at now: Int64) {
        guard let index = withIdentity(queries.keys.key(of: old), { entities.find($0) }) else { return }
        let stamp = entities.stamp(of: index)
        let isWhole = entities.completeness(of: index) == .whole
        let resource = CacheState.renamed(Array(entities.payload(of: index)), json)
        residency.forget(queries.keys.key(of: old))
        // No record of the temporary id remains, and a late event must not create its entity again.
        noteForgotten(in: key.library)
        _ = drop(index)
        for place in stride(from: queries.keys.holderCount(of: old) - 1, through: 0, by: -1) {
            let holder = queries.keys.holder(of: old, at: place)
            if !queries.isExtra(holder) { queries.remove(holder.node, of: holder.query) }
        }
        guard isWhole, withIdentity(key, { entities.find($0) }) == nil else { return }
        removeTombstone(of: key)
        key.withIdentity(seed: entities.seed) { identity in
            _ = resource.withUnsafeBytes { insert(identity, $0, stamp: stamp) }
        }
    }

    /// Replaces the id in the fields of a merge, if they have one, as those of a response often do.
    static func renamedPart(_ fields: [UInt8], _ json: [UInt8]) -> [UInt8] {
        let namesID = fields.withUnsafeBytes { JSONObject($0, range: 0..<$0.count).value(named: "id") != nil }
        return namesID ? renamed(fields, json) : fields
    }

    /// Returns a resource with another id.
    ///
    /// - Parameter json: The id as a JSON value.
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

    /// Moves the observers of renamed entities to their new handles.
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

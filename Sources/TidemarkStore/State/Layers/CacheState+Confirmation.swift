import TidemarkJSON
import TidemarkModel

/// A server's response to a mutation, with the parts that the wire has checked.
package struct LayerConfirmation: Sendable {
    /// A temporary id and the real id that the server assigned instead.
    package struct RealID: Sendable {
        /// The temporary id in its canonical form.
        package var temporary: ByteString
        /// The real id in its canonical form.
        package var real: ByteString
        /// The real id as a JSON value, a string or an integer.
        package var json: [UInt8]

        /// Creates a pair from ids that are already canonical.
        package init(temporary: ByteString, real: ByteString, json: [UInt8]) {
            self.temporary = temporary
            self.real = real
            self.json = json
        }

        /// Creates a pair from ids in any form.
        ///
        /// - Parameter isInteger: True if the real id is a JSON integer, false if it is a string.
        package init(temporary: ByteString, real: ByteString, isInteger: Bool = false) {
            var json: [UInt8] = []
            if isInteger { json = real.bytes } else { CanonicalString.append(real.bytes, to: &json) }
            self.init(
                temporary: EntityKey.canonicalID(temporary), real: EntityKey.canonicalID(real), json: json)
        }

        /// True if the real id is a JSON integer.
        package var isInteger: Bool { json.first != UInt8(ascii: "\"") }
    }

    /// The pending id of the layer.
    package var pendingID: ByteString
    /// The library's name; nil for the layer's own library.
    package var library: ByteString?
    /// The resources as the server stored them; nil if the layer waits for its event.
    package var confirmed: [PutResource]?
    /// The type of the `confirmed` resources; nil to use the types that the layer names.
    package var type: ByteString?
    /// The position in the log of the server's response; nil if unknown.
    package var sequence: EventSequence?
    /// The generation of the log when the mutation was sent, to which `sequence` belongs; nil for the current one.
    package var generation: UInt32?
    /// The real ids that the server assigned; each temporary id once.
    package var realIDs: [RealID]

    /// Creates a confirmation from its parts.
    package init(
        pendingID: ByteString, library: ByteString?, confirmed: [PutResource]?, type: ByteString?,
        sequence: EventSequence?, generation: UInt32? = nil, realIDs: [RealID]
    ) {
        self.pendingID = pendingID
        self.library = library
        self.confirmed = confirmed
        self.type = type
        self.sequence = sequence
        self.generation = generation
        self.realIDs = realIDs
    }
}

extension CacheState {
    /// Returns the keys that a confirmation touches and that only the journal may have.
    package mutating func keysToLoad(for confirmation: LayerConfirmation) -> [StoredKey] {
        guard residency.hasAbsent else { return [] }
        guard let layer = layers.layer(named: confirmation.pendingID) else {
            let library = libraries.index(of: confirmation.library ?? configuration.defaultLibrary)
            return library.map { keysToLoad(for: confirmation.realIDs, in: $0) } ?? []
        }
        var keys: Set<StoredKey> = []
        do throws(LayerError) {
            for (key, _) in try resources(of: confirmation, layer) { keys.insert(key) }
        } catch {
            // The confirmation is refused when it is applied.
            return []
        }
        keys.formUnion(keysToLoad(for: confirmation.realIDs, in: layer.library))
        if confirmation.confirmed?.isEmpty == true {
            keys.formUnion(keysToLoad(forCascadeFrom: CascadeSources(roots: deletedKeys(of: layer))))
        }
        return keys.filter { !isKnown($0) }
    }

    /// Returns the keys of temporary and real ids that only the journal may have.
    func keysToLoad(for realIDs: [LayerConfirmation.RealID], in library: LibraryIndex) -> [StoredKey] {
        var keys: Set<StoredKey> = []
        for id in realIDs {
            for type in typesNaming(id.temporary, in: library) {
                keys.insert(StoredKey(library: library, type: type, id: StoredID(id.real)))
                keys.insert(StoredKey(library: library, type: type, id: StoredID(id.temporary)))
            }
        }
        return keys.filter { !isKnown($0) }
    }

    /// Applies a server's response to a layer's mutation, as one unit.
    ///
    /// - Throws: ``LayerError``; then nothing has changed.
    /// - Precondition: The keys that ``keysToLoad(for:)`` returned are in memory.
    package mutating func confirm(_ confirmation: LayerConfirmation, at now: Int64) throws(LayerError) {
        if layers.layer(named: confirmation.pendingID) == nil, !confirmation.realIDs.isEmpty {
            return try rename(
                confirmation.realIDs, of: confirmation.pendingID, in: confirmation.library, at: now)
        }
        let layer = try layer(confirmation.pendingID, of: confirmation.library)
        let library = layer.library
        let resources = try resources(of: confirmation, layer)
        try checkSizes(of: confirmation, resources, in: library)
        let generation = confirmation.generation ?? libraries[library].gate.generation
        isUnwritten = true
        let keys = Set(layers.group(of: layer).flatMap { $0.changes.map(\.key) }).union(resources.map(\.key))
        beginUnit(isMulti: keys.count > 1 || !confirmation.realIDs.isEmpty)
        for id in confirmation.realIDs {
            rename(id, in: library, at: now)
        }
        for (key, resource) in resources {
            confirm(resource, key, sequence: confirmation.sequence, generation: generation, at: now)
        }
        meanwhile.noteChange(in: libraries.name(of: library))
        // A list with resources says nothing about other entities.
        if confirmation.confirmed?.isEmpty == true, let own = layers.layers[layer.number] {
            for key in deletedKeys(of: own) {
                confirmDelete(key, sequence: confirmation.sequence, generation: generation, at: now)
            }
        }
        if confirmation.confirmed != nil {
            if let own = layers.layers[layer.number] { drop(layers.group(of: own), at: now) }
        } else {
            let place = confirmation.sequence.map { AwaitedPlace(sequence: $0, generation: generation) }
            for member in layers.group(of: layer) { layers.confirm(member.number, awaiting: place) }
        }
        if let cursor = cursor(of: library) { dropReached(cursor, in: library, at: now) }
        endUnit(at: now)
    }

    /// Replaces temporary ids after the layer whose response names them has settled, as one unit.
    ///
    /// - Parameter name: The layer's library; nil for the default library.
    /// - Precondition: The keys that ``keysToLoad(for:)`` returned are in memory.
    private mutating func rename(
        _ realIDs: [LayerConfirmation.RealID], of pendingID: ByteString, in name: ByteString?, at now: Int64
    ) throws(LayerError) {
        // An unknown library has no edits.
        guard let library = libraries.index(of: name ?? configuration.defaultLibrary) else { throw .unknown(pendingID) }
        let renaming = LayerConfirmation(
            pendingID: pendingID, library: name, confirmed: nil, type: nil, sequence: nil, realIDs: realIDs)
        try checkSizes(of: renaming, [], in: library)
        isUnwritten = true
        beginUnit(isMulti: true)
        for id in realIDs { rename(id, in: library, at: now) }
        endUnit(at: now)
    }

    /// Returns the confirmed resources with their keys.
    private mutating func resources(
        of confirmation: LayerConfirmation, _ layer: Layer
    ) throws(LayerError) -> [(key: StoredKey, resource: [UInt8])] {
        var named: TypeIndex?
        if let type = confirmation.type {
            guard let index = type.bytes.withUnsafeBytes({ admitType($0) }) else { throw .tooManyTypes }
            named = index
        }
        var resources: [(key: StoredKey, resource: [UInt8])] = []
        for (number, given) in (confirmation.confirmed ?? []).enumerated() {
            // The type matters only once the id is known.
            var (key, resource) = try put(given, number, in: layer.library, type: named ?? 0)
            if named == nil {
                guard let type = type(of: key.id, layer, confirmation.realIDs) else { throw .typeless(step: number) }
                key.type = type
            }
            resources.append((key, resource))
        }
        return resources
    }

    /// Returns the type under which a layer names an id, or else the only type that it names; nil if that is ambiguous.
    private func type(of id: StoredID, _ layer: Layer, _ realIDs: [LayerConfirmation.RealID]) -> TypeIndex? {
        let names = [id] + realIDs.filter { StoredID($0.real) == id }.map { StoredID($0.temporary) }
        let given = layer.changes.filter { !$0.isAlong }
        let own = Set(given.lazy.map(\.key).filter { names.contains($0.id) }.map(\.type))
        if own.count == 1 { return own.first }
        let all = Set(given.map(\.key.type))
        return own.isEmpty && all.count == 1 ? all.first : nil
    }

    /// Writes a confirmed resource to the base, unless the base has a newer write: one with a higher sequence, or one
    /// of a newer log.
    private mutating func confirm(
        _ resource: [UInt8], _ key: StoredKey, sequence: EventSequence?, generation: UInt32, at now: Int64
    ) {
        var stamp = EntityStamp(
            sequence: sequence, generation: generation, writtenAt: now, writer: .confirmation, isPartial: true)
        let index = withIdentity(key) { entities.find($0) }
        if let index {
            let stored = entities.stamp(of: index)
            guard stored.generation <= generation,
                !isBehind(sequence, stored.sequence, isComparable: stored.generation == generation)
            else { return }
            // A confirmation without a sequence must not remove the entity's own one.
            if sequence == nil, stored.generation == generation { stamp.sequence = stored.sequence }
            resource.withUnsafeBytes { resource in
                let merged = Merge.assigned(resource, into: entities.payload(of: index))
                let fields = WrittenFields(JSONObject.fieldNames(of: resource))
                merged.withUnsafeBytes { overwrite(index, $0, fields: fields, stamp: stamp) }
            }
        } else {
            if let tombstone = tombstones[key],
                tombstone.generation > generation
                    || isBehind(sequence, tombstone.sequence, isComparable: tombstone.generation == generation)
            {
                return
            }
            removeTombstone(of: key)
            key.withIdentity(seed: entities.seed) { identity in
                _ = resource.withUnsafeBytes { insert(identity, $0, stamp: stamp) }
            }
        }
        noteConfirmed(key, resource, sequence: sequence, generation: generation)
    }

    /// Returns the entities that a layer, and those that its request serves, finally delete, in order.
    ///
    /// Cascaded deletes are left out: a delete in the base cascades by itself.
    private func deletedKeys(of layer: Layer) -> [StoredKey] {
        var isDeleted: [StoredKey: Bool] = [:]
        var order: [StoredKey] = []
        for change in layers.group(of: layer).flatMap(\.changes) where !change.isAlong {
            let deletes = if case .delete = change { true } else { false }
            if isDeleted.updateValue(deletes, forKey: change.key) == nil { order.append(change.key) }
        }
        return order.filter { isDeleted[$0] == true }
    }

    /// Deletes an entity in the base, unless the base has a newer write.
    private mutating func confirmDelete(
        _ key: StoredKey, sequence: EventSequence?, generation: UInt32, at now: Int64
    ) {
        var place = sequence
        if let index = withIdentity(key, { entities.find($0) }) {
            let stored = entities.stamp(of: index)
            guard stored.generation <= generation,
                !isBehind(sequence, stored.sequence, isComparable: stored.generation == generation)
            else { return }
            // A delete without a sequence must not lower the entity's own one.
            if sequence == nil, stored.generation == generation { place = stored.sequence }
        } else if let tombstone = tombstones[key] {
            guard tombstone.generation <= generation,
                !isBehind(sequence, tombstone.sequence, isComparable: tombstone.generation == generation)
            else { return }
            if sequence == nil, tombstone.generation == generation { place = tombstone.sequence }
        }
        let tombstone = Tombstone(sequence: place, generation: generation, deletedAt: now)
        let along = cascade(from: key, tombstone)
        // Many deletes can displace tombstones before the journal has them.
        residency.forget(key)
        delete(key, tombstone)
        delete(along: along, tombstone)
        // A confirmation settles no other layer.
        _ = queries.recorder.removeEndedLayers()
        noteConfirmed(key, nil, sequence: sequence, generation: generation)
    }

    /// Records up to which position the base has the server's state, for later events and responses.
    ///
    /// - Parameter resource: What was written; nil for a delete.
    private mutating func noteConfirmed(
        _ key: StoredKey, _ resource: [UInt8]?, sequence: EventSequence?, generation: UInt32
    ) {
        let sequence = generation == libraries[key.library].gate.generation ? sequence : nil
        if let sequence {
            let known = libraries[key.library].answeredThrough
            libraries[key.library].answeredThrough = max(known ?? sequence, sequence)
            libraries[key.library].isChanged = true
        }
        guard isAwaitingAnswers else { return }
        // A write with a sequence is compared by it, like an event.
        guard sequence == nil, let resource else { return recentWrites.append(key, sequence: sequence) }
        noteRequestedWrite(of: key, resource, fields: nil)
        recentWrites.append(key, sequence: sequence, extent: .fieldsOfDocuments)
    }

    private func isBehind(_ sequence: EventSequence?, _ stored: EventSequence?, isComparable: Bool) -> Bool {
        guard isComparable, let sequence, let stored else { return false }
        return sequence < stored
    }
}

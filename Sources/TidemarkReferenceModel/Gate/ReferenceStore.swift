/// The entities and tombstones of all libraries, each in a dictionary, and the effects of events on them.
package struct ReferenceStore: Sendable {
    /// The entities. Unlike in the cache, their number is not bounded.
    package private(set) var entities: [ReferenceKey: ReferenceEntity] = [:]
    /// The tombstones, whose keys are never in ``entities``.
    package private(set) var tombstones: [ReferenceKey: ReferenceTombstone] = [:]

    /// Creates an empty store.
    package init() {}

    /// Writes a resource: replaces the entity without metadata, merges with metadata.
    ///
    /// - Returns: False if the entity would have more than `byteCountMax` bytes; nothing changed then.
    package mutating func write(
        _ resource: ReferenceResource, type: [UInt8], metadata: ReferenceMetadata?, stamp: ReferenceStamp,
        byteCountMax: Int
    ) -> Bool {
        var key = ReferenceKey(library: stamp.library, type: type, id: resource.id)
        var frozen: Set<[UInt8]> = []
        if let metadata, entities[key] == nil, let match = onlyAlternate(metadata, of: key) {
            key = match
            frozen = Self.identityNames(of: entities[match])
        }
        guard !isOutdated(key, stamp) else { return true }
        return put(resource, key, metadata: metadata, frozen: frozen, stamp: stamp, byteCountMax: byteCountMax)
    }

    private mutating func put(
        _ resource: ReferenceResource, _ key: ReferenceKey, metadata: ReferenceMetadata?, frozen: Set<[UInt8]>,
        stamp: ReferenceStamp, byteCountMax: Int
    ) -> Bool {
        var json = resource.json
        let before = entities[key]
        if let metadata, let base = before?.json.members, let incoming = resource.json.members {
            let merge = ReferenceMerge(noMergeFields: metadata.noMergeFields)
            json = .object(merge.merge(base, with: incoming, frozen: frozen))
        }
        guard json.written.count <= byteCountMax else { return false }
        entities[key] = ReferenceEntity(
            json: json, sequence: stamp.sequence, generation: stamp.generation,
            merged: metadata == nil ? nil : ReferenceStore.names(of: resource.json), before: before)
        tombstones[key] = nil
        return true
    }

    private static func names(of json: ReferenceJSON) -> Set<[UInt8]> {
        Set((json.members ?? []).map(\.key.unescaped))
    }

    // MARK: Late events

    /// The outcome of one write of a late event.
    package enum LateOutcome: Equatable {
        /// The write took effect.
        case written
        /// A later write has precedence, and would cover everything that the late one writes.
        case superseded
        /// Nothing was written, although a part of the write might show under later ones.
        case heldOff
        /// Nothing was written, because the entity would be too large.
        case tooLarge
    }

    /// Writes a resource of a late event, whose sequence was lost before.
    ///
    /// - Parameter written: The entities that the same event has written already.
    package mutating func writeLate(
        _ resource: ReferenceResource, type: [UInt8], metadata: ReferenceMetadata?, stamp: ReferenceStamp,
        written: inout Set<ReferenceKey>, byteCountMax: Int
    ) -> LateOutcome {
        let named = ReferenceKey(library: stamp.library, type: type, id: resource.id)
        var key = named
        var frozen: Set<[UInt8]> = []
        if entities[key] == nil {
            if let tombstone = tombstones[key], tombstone.generation == stamp.generation {
                guard let known = tombstone.sequence, let own = stamp.sequence else { return .heldOff }
                if known >= own { return .superseded }
            }
            if let metadata, let match = onlyAlternate(metadata, of: key) {
                key = match
                frozen = Self.identityNames(of: entities[match])
            }
        }
        if let entity = entities[key], entity.generation == stamp.generation {
            guard let known = entity.sequence, let own = stamp.sequence else { return .heldOff }
            if known > own || known == own && !written.contains(key) {
                let names = ReferenceStore.names(of: resource.json)
                return isSuperseded(entity, own, sets: names, isReplacement: metadata == nil) ? .superseded : .heldOff
            }
        }
        guard put(resource, key, metadata: metadata, frozen: frozen, stamp: stamp, byteCountMax: byteCountMax) else {
            return .tooLarge
        }
        written.insert(key)
        return .written
    }

    /// Deletes an entity for a late event, whose sequence was lost before.
    package mutating func deleteLate(type: [UInt8], id: [UInt8], stamp: ReferenceStamp) -> LateOutcome {
        let key = ReferenceKey(library: stamp.library, type: type, id: id)
        guard let own = stamp.sequence else { return .heldOff }
        if let entity = entities[key], entity.generation == stamp.generation {
            guard let known = entity.sequence else { return .heldOff }
            if known >= own {
                return isSuperseded(entity, own, sets: [], isReplacement: true) ? .superseded : .heldOff
            }
        }
        if let tombstone = tombstones[key], tombstone.generation == stamp.generation {
            guard let known = tombstone.sequence, known < own else { return .superseded }
        }
        entities[key] = nil
        tombstones[key] = ReferenceTombstone(sequence: stamp.sequence, generation: stamp.generation)
        return .written
    }

    /// True if nothing of a write at `sequence` would show under later writes.
    private func isSuperseded(
        _ entity: ReferenceEntity, _ sequence: Int64, sets names: Set<[UInt8]>, isReplacement: Bool
    ) -> Bool {
        func isLater(_ write: ReferenceEntity.FieldWrite?) -> Bool {
            guard let write, write.generation == entity.generation, let own = write.sequence else { return false }
            return own >= sequence
        }
        if isLater(entity.replacement) { return true }
        let later = Set(
            entity.fields.keys.filter { name in
                // Objects are merged, so a part of an older one may remain.
                isLater(entity.fields[name]) && entity.json.member(name)?.members == nil
            })
        return later.isSuperset(of: names) && (!isReplacement || later.count == entity.fields.count)
    }

    /// Deletes an entity, known or not, and leaves a tombstone.
    package mutating func delete(type: [UInt8], id: [UInt8], stamp: ReferenceStamp) {
        let key = ReferenceKey(library: stamp.library, type: type, id: id)
        guard !isOutdated(key, stamp) else { return }
        entities[key] = nil
        tombstones[key] = ReferenceTombstone(sequence: stamp.sequence, generation: stamp.generation)
    }

    /// Removes the entities of a library that no event of a generation wrote. They leave no tombstones.
    package mutating func removeOlder(than generation: Int, in library: [UInt8]) {
        entities = entities.filter { $0.key.library != library || $0.value.generation == generation }
    }

    /// Returns the only stored entity with one of the alternate ids; nil if there is none, or more than one.
    private func onlyAlternate(_ metadata: ReferenceMetadata, of key: ReferenceKey) -> ReferenceKey? {
        var matches: Set<ReferenceKey> = []
        for id in metadata.alternateIDs {
            let candidate = ReferenceKey(library: key.library, type: key.type, id: id)
            if entities[candidate] != nil { matches.insert(candidate) }
        }
        return matches.count == 1 ? matches.first : nil
    }

    /// Returns the members that hold a stored entity's identity: always `id`, and `uuid` if it replaced an absent `id`.
    private static func identityNames(of entity: ReferenceEntity?) -> Set<[UInt8]> {
        let isKeyedByUUID = entity?.json.presentMember("id") == nil
        return isKeyedByUUID ? [Array("id".utf8), Array("uuid".utf8)] : [Array("id".utf8)]
    }

    /// True if the entity or tombstone has a later position in the same log.
    private func isOutdated(_ key: ReferenceKey, _ stamp: ReferenceStamp) -> Bool {
        guard let sequence = stamp.sequence else { return false }
        if let entity = entities[key], entity.generation == stamp.generation, let known = entity.sequence {
            return sequence < known
        }
        if let tombstone = tombstones[key], tombstone.generation == stamp.generation, let known = tombstone.sequence {
            return sequence < known
        }
        return false
    }
}

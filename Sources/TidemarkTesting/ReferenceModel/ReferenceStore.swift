/// The entities and tombstones of all libraries: a dictionary each, and the effects of events on them.
package struct ReferenceStore: Sendable {
    /// Grows with the stream; the model has no bound, the cache does.
    package private(set) var entities: [ReferenceKey: ReferenceEntity] = [:]
    /// Holds no key that ``entities`` holds.
    package private(set) var tombstones: [ReferenceKey: ReferenceTombstone] = [:]

    package init() {}

    /// Writes a resource: replaces without metadata, merges with it.
    ///
    /// - Returns: False when the entity would have more than `byteCountMax` bytes; then nothing changed.
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
        var json = resource.json
        if let metadata, let base = entities[key]?.json.members, let incoming = resource.json.members {
            let merge = ReferenceMerge(noMergeFields: metadata.noMergeFields)
            json = .object(merge.merge(base, with: incoming, frozen: frozen))
        }
        guard json.written.count <= byteCountMax else { return false }
        entities[key] = ReferenceEntity(json: json, sequence: stamp.sequence, generation: stamp.generation)
        tombstones[key] = nil
        return true
    }

    /// Deletes an entity, known or not, and leaves a tombstone.
    package mutating func delete(type: [UInt8], id: [UInt8], stamp: ReferenceStamp) {
        let key = ReferenceKey(library: stamp.library, type: type, id: id)
        guard !isOutdated(key, stamp) else { return }
        entities[key] = nil
        tombstones[key] = ReferenceTombstone(sequence: stamp.sequence, generation: stamp.generation)
    }

    /// The one stored entity that has one of the alternate ids; nil when there is none or more than one.
    private func onlyAlternate(_ metadata: ReferenceMetadata, of key: ReferenceKey) -> ReferenceKey? {
        var matches: Set<ReferenceKey> = []
        for id in metadata.alternateIDs {
            let candidate = ReferenceKey(library: key.library, type: key.type, id: id)
            if entities[candidate] != nil { matches.insert(candidate) }
        }
        return matches.count == 1 ? matches.first : nil
    }

    /// The members that hold a stored entity's identity: `id` always, `uuid` when it stood in for an absent `id`.
    private static func identityNames(of entity: ReferenceEntity?) -> Set<[UInt8]> {
        let isKeyedByUUID = entity?.json.presentMember("id") == nil
        return isKeyedByUUID ? [Array("id".utf8), Array("uuid".utf8)] : [Array("id".utf8)]
    }

    /// Whether what is known under the key is from a later place of the same log.
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

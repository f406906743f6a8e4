import TidemarkModel

extension CacheState {
    /// What memory knows of a key.
    package enum Lookup {
        case found(payload: [UInt8], stamp: EntityStamp)
        case deleted
        /// Never seen: no entity of that library or type is stored.
        case absent
        /// Not in memory; the journal may have it.
        case elsewhere(StoredKey)
    }

    /// Looks an entity up, and counts that as an access.
    package mutating func lookUp(_ key: EntityKey) -> Lookup {
        guard let stored = storedKey(of: key) else { return .absent }
        if let index = withIdentity(stored, { entities.find($0) }) {
            entities.touch(index)
            return .found(payload: Array(entities.payload(of: index)), stamp: entities.stamp(of: index))
        }
        if tombstones[stored] != nil { return .deleted }
        return absentCount > 0 ? .elsewhere(stored) : .absent
    }

    /// Keys that a batch touches, or that held events may touch with it, and that only the journal may have.
    ///
    /// - Returns: Each once; empty when memory holds every entity there is.
    /// - Complexity: O(members), plus O(held events) while a library of the batch holds some.
    package func keysToLoad(for batch: EventBatch) -> [StoredKey] {
        guard absentCount > 0 else { return [] }
        var keys: Set<StoredKey> = []
        batch.withBytes { bytes in
            batch.members.withUnsafeBufferPointer { members in
                for event in batch.events {
                    let view = EventView(
                        event: event, members: members, bytes: bytes, source: .upstream, offset: 0)
                    collectKeys(of: view, into: &keys)
                }
            }
        }
        for library in watched {
            for held in libraries[Int(library)].gate.held.all {
                held.withView { collectKeys(of: $0, into: &keys) }
            }
        }
        return Array(keys)
    }

    private func collectKeys(of view: EventView, into keys: inout Set<StoredKey>) {
        let event = view.event
        guard event.memberCount > 0, !event.type.isAbsent else { return }
        let wireType = ByteString(view.bytes[event.type])
        guard let library = libraryNames.existingIndex(of: view.string(event.library) ?? configuration.defaultLibrary),
            let type = typeNames.existingIndex(of: configuration.typeAliases[wireType] ?? wireType)
        else { return }
        for member in view.ownMembers where member.reason == nil {
            let identity = identity(of: member, in: view, library: library, type: type)
            if entities.find(identity) == nil { keys.insert(identity.storedKey) }
        }
        guard event.kind != .deleted, let metadata = view.text(event.detail) else { return }
        for id in MergeRules(metadata: metadata).alternateIDs {
            let key = StoredKey(library: library, type: type, id: id)
            if withIdentity(key, { entities.find($0) }) == nil { keys.insert(key) }
        }
    }

    /// Takes in what the journal gave for ``keysToLoad(for:)``.
    ///
    /// What memory holds by now is newer and stays.
    package mutating func install(_ loaded: [StoredEntity]) {
        for entity in loaded {
            let isNew = withIdentity(entity.key) { entities.find($0) == nil }
            guard isNew, absentCount > 0 else { continue }
            let stamp = EntityStamp(
                sequence: entity.sequence, generation: entity.generation, writtenAt: entity.writtenAt)
            entity.payload.withUnsafeBytes { payload in
                switch entity.key.id {
                case .uuid(let value):
                    entities.install(
                        EntityIdentity(
                            library: entity.key.library, type: entity.key.type, uuid: value, seed: entities.seed),
                        payload: payload, stamp: stamp, row: entity.row)
                case .text(let text):
                    text.bytes.withUnsafeBytes { text in
                        entities.install(
                            EntityIdentity(
                                library: entity.key.library, type: entity.key.type, text: text, seed: entities.seed),
                            payload: payload, stamp: stamp, row: entity.row)
                    }
                }
            }
            absentCount -= 1
        }
    }

    /// Drops entities that the journal has from memory until it takes at most `byteCountMax`.
    ///
    /// Call it only while no flush is under way.
    package mutating func evict(toByteCount byteCountMax: Int) -> Int {
        let evicted = entities.evict(toByteCount: byteCountMax)
        absentCount += Int64(evicted)
        return evicted
    }
}

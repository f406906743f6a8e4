import TidemarkModel

extension CacheState {
    /// Returns the number of a library, which is opened when it is new; nil past `libraryCountMax`.
    @inline(__always)
    mutating func index(ofLibrary name: UnsafeRawBufferPointer) -> LibraryIndex? {
        guard let index = libraryNames.index(of: name) else { return nil }
        if Int(index) == libraries.count {
            libraries.append(
                LibraryEntry(gate: SequenceGate(limits: configuration.limits), entityCount: 0, isChanged: true))
        }
        return index
    }

    /// Returns the number of a type under its own name, for any alias; nil past `typeCountMax`.
    @inline(__always)
    mutating func index(ofType name: UnsafeRawBufferPointer) -> TypeIndex? {
        if let lastType, lastType.name.withUnsafeBytes({ JSONText.haveEqualBytes($0, name) }) {
            return lastType.index
        }
        return lookUpType(name)
    }

    private mutating func lookUpType(_ name: UnsafeRawBufferPointer) -> TypeIndex? {
        let wireName = ByteString(name)
        let ownName = configuration.typeAliases[wireName] ?? wireName
        guard let index = ownName.bytes.withUnsafeBytes({ typeNames.index(of: $0) }) else { return nil }
        lastType = (wireName.bytes, index)
        if configuration.namesTypes, Int(index) == learntTypeCount { learnTypes() }
        return index
    }

    /// Resolves the configuration's rules for the types that have a number.
    ///
    /// - Complexity: O(types), for each type that is new.
    mutating func learnTypes() {
        learntTypeCount = typeNames.names.count
        typeRules = TypeRules(configuration, names: typeNames.names)
        entities.unstoredTypes = typeRules.unstored
        entities.passingTypes = typeRules.passing
    }

    /// Returns a member's key. The bytes of its id are borrowed from the view.
    @inline(__always)
    func identity(
        of member: ChangeMember, in view: EventView, library: LibraryIndex, type: TypeIndex
    ) -> EntityIdentity {
        member.isUUID
            ? EntityIdentity(library: library, type: type, uuid: member.uuid, seed: entities.seed)
            : EntityIdentity(library: library, type: type, text: view.bytes[member.id], seed: entities.seed)
    }

    /// Lends a stored key as the entity table looks it up.
    func withIdentity<Result>(_ key: StoredKey, _ body: (EntityIdentity) -> Result) -> Result {
        key.withIdentity(seed: entities.seed, body)
    }

    /// Returns a key with this database's numbers; nil when its library or type was never seen.
    package func storedKey(of key: EntityKey) -> StoredKey? {
        guard let library = libraryNames.existingIndex(of: key.library),
            let type = typeNames.existingIndex(of: configuration.typeAliases[key.type] ?? key.type)
        else { return nil }
        return StoredKey(library: library, type: type, id: StoredID(key.id))
    }
}

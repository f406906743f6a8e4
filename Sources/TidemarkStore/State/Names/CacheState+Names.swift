import TidemarkModel

extension CacheState {
    /// Returns the index of a type by any of its names; assigns one to a new type. nil past `typeCountMax`.
    @inline(__always)
    mutating func admitType(_ name: UnsafeRawBufferPointer) -> TypeIndex? {
        if let type = types.recent(name) { return type }
        return admitOtherType(name)
    }

    private mutating func admitOtherType(_ name: UnsafeRawBufferPointer) -> TypeIndex? {
        guard let type = types.admit(name) else { return nil }
        if configuration.namesTypes, types.hasUnruled { resolveTypeRules() }
        return type
    }

    /// Resolves the configuration's rules for all types that have an index.
    ///
    /// - Complexity: O(types), for each new type.
    mutating func resolveTypeRules() {
        types.resolveRules(configuration)
        entities.unstoredTypes = types.rules.unstored
        entities.memoryExcludedTypes = types.rules.memoryExcluded
    }

    /// Returns the key of a member. It borrows the id's bytes from the view.
    @inline(__always)
    func identity(
        of member: ChangeMember, in view: EventView, library: LibraryIndex, type: TypeIndex
    ) -> EntityIdentity {
        member.isUUID
            ? EntityIdentity(library: library, type: type, uuid: member.uuid, seed: entities.seed)
            : EntityIdentity(library: library, type: type, text: view.bytes[member.id], seed: entities.seed)
    }

    /// Calls `body` with a key in the form in which the entity table looks it up.
    func withIdentity<Result>(_ key: StoredKey, _ body: (EntityIdentity) -> Result) -> Result {
        key.withIdentity(seed: entities.seed, body)
    }

    /// Returns a key with this database's indexes; nil if its library or type is unknown.
    package func storedKey(of key: EntityKey) -> StoredKey? {
        guard let library = libraries.index(of: key.library),
            let type = types.index(of: key.type)
        else { return nil }
        return StoredKey(library: library, type: type, id: StoredID(key.id))
    }
}

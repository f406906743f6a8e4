import TidemarkModel

extension CacheState {
    /// The number of a library, which is opened when it is new; nil past `libraryCountMax`.
    @inline(__always)
    mutating func index(ofLibrary name: UnsafeRawBufferPointer) -> LibraryIndex? {
        guard let index = libraryNames.index(of: name) else { return nil }
        if Int(index) == libraries.count {
            libraries.append(
                LibraryEntry(gate: SequenceGate(limits: configuration.limits), entityCount: 0, isChanged: true))
        }
        return index
    }

    /// The number of a type under its own name, whatever alias it came by; nil past `typeCountMax`.
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
        return index
    }

    /// A member's key. Its id's bytes are borrowed from the view.
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
        switch key.id {
        case .uuid(let value):
            body(EntityIdentity(library: key.library, type: key.type, uuid: value, seed: entities.seed))
        case .text(let text):
            text.bytes.withUnsafeBytes {
                body(EntityIdentity(library: key.library, type: key.type, text: $0, seed: entities.seed))
            }
        }
    }

    /// A key with this database's numbers; nil when its library or type was never seen.
    package func storedKey(of key: EntityKey) -> StoredKey? {
        guard let library = libraryNames.existingIndex(of: key.library),
            let type = typeNames.existingIndex(of: configuration.typeAliases[key.type] ?? key.type)
        else { return nil }
        return StoredKey(library: library, type: type, id: StoredID(key.id))
    }
}

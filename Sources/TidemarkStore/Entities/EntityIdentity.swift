import TidemarkModel

/// A key in the form in which the entity table looks it up: its bytes are not copied, and its hash is computed once.
package struct EntityIdentity {
    /// The entity's library.
    package let library: LibraryIndex
    /// The entity's resource type.
    package let type: TypeIndex
    /// True if the id is a UUID.
    package let isUUID: Bool
    /// The id as in ``EntitySlot/id``.
    let id: UUIDValue
    /// The id's text when it is not a UUID; must outlive the identity.
    let text: UnsafeRawBufferPointer
    let hash: UInt64

    /// Creates the identity of an entity whose id is a UUID.
    package init(library: LibraryIndex, type: TypeIndex, uuid: UUIDValue, seed: UInt64) {
        self.library = library
        self.type = type
        isUUID = true
        id = uuid
        text = UnsafeRawBufferPointer(start: nil, count: 0)
        hash = EntityIdentity.mixed(uuid, library: library, type: type, seed: seed)
    }

    /// Creates the identity of an entity whose id is not a UUID.
    ///
    /// - Parameter text: The id's bytes. They must outlive the identity.
    package init(library: LibraryIndex, type: TypeIndex, text: UnsafeRawBufferPointer, seed: UInt64) {
        self.library = library
        self.type = type
        isUUID = false
        id = UUIDValue(high: Checksum.xxh64(text, seed: seed), low: UInt64(text.count))
        self.text = text
        hash = EntityIdentity.mixed(id, library: library, type: type, seed: seed)
    }

    /// Hashes a key by two folded multiplications. The seed differs in every process, so that nobody can craft ids that
    /// all collide.
    static func mixed(_ id: UUIDValue, library: LibraryIndex, type: TypeIndex, seed: UInt64) -> UInt64 {
        let place = UInt64(library) << 16 | UInt64(type)
        let first = (id.high ^ seed).multipliedFullWidth(by: id.low ^ 0xA076_1D64_78BD_642F)
        let folded = first.high ^ first.low ^ place &* 0xE703_7ED1_A0B4_28DB
        let second = (folded ^ 0x8EBC_6AF0_9C88_C6E3).multipliedFullWidth(by: seed | 1)
        return second.high ^ second.low
    }

    /// The key in the form that journals store.
    package var storedKey: StoredKey {
        StoredKey(library: library, type: type, id: isUUID ? .uuid(id) : .text(ByteString(text)))
    }
}

extension StoredKey {
    /// Calls `body` with the key in the form in which the entity table looks it up.
    func withIdentity<Result>(seed: UInt64, _ body: (EntityIdentity) -> Result) -> Result {
        switch id {
        case .uuid(let value):
            body(EntityIdentity(library: library, type: type, uuid: value, seed: seed))
        case .text(let text):
            text.bytes.withUnsafeBytes {
                body(EntityIdentity(library: library, type: type, text: $0, seed: seed))
            }
        }
    }
}

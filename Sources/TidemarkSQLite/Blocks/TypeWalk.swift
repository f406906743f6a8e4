import TidemarkModel
import TidemarkStore

/// A walk over the keys of one library and type that have an entity, in the order of their ids' text.
///
/// The runs sort UUIDs after all texts, so two walks are merged by the bytes of their text. UUIDs have the same order
/// as 16 bytes and as text, because the hyphens are at fixed positions.
struct TypeWalk {
    private let keys: any KeyOrder
    private let library: LibraryIndex
    private let type: TypeIndex
    private let after: ByteString?
    private var texts: KeyWalk
    private var uuids: KeyWalk
    private var text: StoredKey?
    private var uuid: StoredKey?

    /// Begins a walk.
    ///
    /// - Parameter after: The id's text after which to begin; nil to begin with the first.
    /// - Throws: ``SQLiteError``; ``PayloadError`` when a run is damaged.
    init(_ keys: any KeyOrder, library: LibraryIndex, type: TypeIndex, after: ByteString?) throws {
        self.keys = keys
        self.library = library
        self.type = type
        self.after = after
        let start = StoredKey(library: library, type: type, id: .text(after ?? ""))
        texts = try keys.keyWalk(after: OrderedKey.bytes(of: start))
        let bound = after.map { UUIDLowerBound.bytes(behind: $0.bytes) } ?? []
        uuids = try keys.keyWalk(after: OrderedKey.bytes(beforeUUID: bound, library: library, type: type))
        text = try next(&texts, isUUID: false)
        uuid = try next(&uuids, isUUID: true)
    }

    /// Returns the next key; nil at the end.
    ///
    /// - Throws: The errors of the initializer.
    mutating func next() throws -> StoredKey? {
        while let first = text ?? uuid {
            var key = first
            if let text, let uuid, uuid.id.text < text.id.text { key = uuid }
            if key.id.isUUID {
                uuid = try next(&uuids, isUUID: true)
            } else {
                text = try next(&texts, isUUID: false)
            }
            // The bound of the UUIDs is inclusive, so the first one may not be after `after`.
            if after.map({ key.id.text <= $0 }) != true { return key }
        }
        return nil
    }

    private func next(_ walk: inout KeyWalk, isUUID: Bool) throws -> StoredKey? {
        while let key = try walk.next() {
            guard key.library == library, key.type == type, key.id.isUUID == isUUID else { return nil }
            if try keys.hasVersion(key) { return key }
        }
        return nil
    }
}

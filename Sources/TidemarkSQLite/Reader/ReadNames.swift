import TidemarkModel
import TidemarkStore

/// The names and dictionaries that rows refer to by number, as of one snapshot.
struct ReadNames {
    let libraries: [ByteString]
    let types: [ByteString]
    let dictionaries: [Int64: PayloadDictionary]
    let damagedDictionaries: [Int64]

    init(_ connection: OpaquePointer) throws {
        libraries = try LibraryTable.read(connection).map(\.name)
        types = try TypeTable.read(connection)
        let read = try DictionaryTable.read(connection)
        dictionaries = read.dictionaries
        damagedDictionaries = read.damaged
    }

    /// Returns a key with the numbers of its library and type; nil when one has no number, so that no such entity is
    /// stored.
    func storedKey(_ key: EntityKey) -> StoredKey? {
        guard let library = libraries.firstIndex(of: key.library), let type = types.firstIndex(of: key.type) else {
            return nil
        }
        return StoredKey(library: LibraryIndex(library), type: TypeIndex(type), id: StoredID(key.id))
    }

    /// Returns a key with the names of its library and type; nil when a number has no name.
    func entityKey(_ key: StoredKey) -> EntityKey? {
        guard Int(key.library) < libraries.count, Int(key.type) < types.count else { return nil }
        return EntityKey(
            library: libraries[Int(key.library)], type: types[Int(key.type)], canonicalID: key.id.text)
    }
}

import TidemarkModel

/// The state of a cache as one step sees it, for reads of many entities of one library.
///
/// It is lent to a closure and cannot leave it: the compiler refuses to store or return it, or a value that holds it.
/// Nothing is copied, and nothing that a read can see changes while it is lent.
package struct CacheReading: ~Escapable {
    /// The cache's state, which nobody else reaches while this value exists. It is mutable because a list that was not
    /// used for long is built again when it is read.
    private let state: UnsafeMutablePointer<CacheState>
    /// The library whose entities and lists are read.
    package let library: ByteString
    /// The library's number; nil if the cache has no data of the library.
    private let libraryNumber: LibraryIndex?
    /// The keys that the journal has already been asked for.
    private let asked: Set<StoredKey>
    /// Milliseconds since 1970.
    private let now: Int64

    /// Creates a view of a state, for as long as the state is borrowed through the pointer.
    @_lifetime(borrow state)
    package init(_ state: UnsafeMutablePointer<CacheState>, library: ByteString, asked: Set<StoredKey>, now: Int64) {
        self.state = state
        self.library = library
        self.asked = asked
        self.now = now
        libraryNumber = state.pointee.libraryNumber(of: library)
    }

    /// Looks up an entity of any library, without counting it as a read.
    package func look(_ key: EntityKey) -> EntityLook { state.pointee.look(key, asked: asked) }

    /// Returns the number by which entities of a type are lent; nil if none are.
    package func typeNumber(of type: ByteString) -> TypeIndex? {
        libraryNumber == nil ? nil : state.pointee.typeNumber(of: type)
    }

    /// Lends an entity of the library that is in memory and has no layers. This is not counted as a read; see
    /// ``CacheState/touch(slots:)``.
    ///
    /// - Parameter id: The text of the id, in any spelling.
    /// - Returns: nil for every other entity. ``look(_:)`` returns what is known of it.
    /// - Complexity: O(id).
    package func lend(_ type: TypeIndex, _ id: UnsafeRawBufferPointer) -> LentEntity? {
        guard let libraryNumber else { return nil }
        return state.pointee.lend(library: libraryNumber, type: type, id: id)
    }

    /// Returns since when a root field is stale, in milliseconds since 1970; nil while it is fresh.
    package func staleSince(_ root: RootName) -> Int64? {
        state.pointee.staleSince(root: root, in: library, at: now)
    }

    /// Returns the entities of a root field whose list a rule maintains; nil for any other field.
    package func list(_ root: RootName) -> [EntityKey]? { state.pointee.rootList(of: root, in: library) }
}

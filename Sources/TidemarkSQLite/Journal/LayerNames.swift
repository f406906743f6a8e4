import TidemarkModel
import TidemarkStore

/// The numbers of the libraries and types that layers name.
package struct LayerNames {
    private var libraries: [ByteString: LibraryIndex]
    private var types: [ByteString: TypeIndex]
    /// True if new names get the next numbers; false if an unknown name has no number.
    private let isOpen: Bool
    /// The libraries that got a number here, in the order of their numbers.
    private(set) var newLibraries: [(index: LibraryIndex, name: ByteString)] = []
    /// The types that got a number here, in the order of their numbers.
    package private(set) var newTypes: [(index: TypeIndex, name: ByteString)] = []

    /// Creates a table with the names of a file. Unknown names get no number.
    ///
    /// - Parameters:
    ///   - libraries: The names of libraries by index.
    ///   - types: The names of types by index.
    init(libraries: [ByteString], types: [ByteString]) {
        self.libraries = Dictionary(
            zip(libraries, libraries.indices.map { LibraryIndex($0) }), uniquingKeysWith: { first, _ in first })
        self.types = Dictionary(
            zip(types, types.indices.map { TypeIndex($0) }), uniquingKeysWith: { first, _ in first })
        isOpen = false
    }

    /// Creates an empty table in which each new name gets the next number, up to ``/TidemarkModel/Limits``.
    package init() {
        libraries = [:]
        types = [:]
        isOpen = true
    }

    /// Returns the number of a library; nil when it has none and gets none.
    mutating func index(ofLibrary name: ByteString) -> LibraryIndex? {
        if let index = libraries[name] { return index }
        guard isOpen, libraries.count < Limits().libraryCountMax else { return nil }
        let index = LibraryIndex(libraries.count)
        libraries[name] = index
        newLibraries.append((index, name))
        return index
    }

    /// Returns the number of a type; nil when it has none and gets none.
    mutating func index(ofType name: ByteString) -> TypeIndex? {
        if let index = types[name] { return index }
        guard isOpen, types.count < Limits().typeCountMax else { return nil }
        let index = TypeIndex(types.count)
        types[name] = index
        newTypes.append((index, name))
        return index
    }
}

import TidemarkModel
import TidemarkStore

/// The numbers of the libraries and types that layers name.
package struct LayerNames {
    private var libraries: [ByteString: LibraryIndex]
    private var types: [ByteString: TypeIndex]
    /// Names that are new get numbers, in the order they are met; else they have none.
    private let isOpen: Bool
    /// Names that were given a number, in its order.
    private(set) var newLibraries: [(index: LibraryIndex, name: ByteString)] = []
    package private(set) var newTypes: [(index: TypeIndex, name: ByteString)] = []

    /// Names that a file has.
    ///
    /// - Parameters:
    ///   - libraries: By index.
    ///   - types: By index.
    init(libraries: [ByteString], types: [ByteString]) {
        self.libraries = Dictionary(
            zip(libraries, libraries.indices.map { LibraryIndex($0) }), uniquingKeysWith: { first, _ in first })
        self.types = Dictionary(
            zip(types, types.indices.map { TypeIndex($0) }), uniquingKeysWith: { first, _ in first })
        isOpen = false
    }

    /// None yet: each name gets the next number, up to ``TidemarkModel/Limits``.
    package init() {
        libraries = [:]
        types = [:]
        isOpen = true
    }

    /// - Returns: nil when it has none.
    mutating func index(ofLibrary name: ByteString) -> LibraryIndex? {
        if let index = libraries[name] { return index }
        guard isOpen, libraries.count < Limits().libraryCountMax else { return nil }
        let index = LibraryIndex(libraries.count)
        libraries[name] = index
        newLibraries.append((index, name))
        return index
    }

    /// - Returns: nil when it has none.
    mutating func index(ofType name: ByteString) -> TypeIndex? {
        if let index = types[name] { return index }
        guard isOpen, types.count < Limits().typeCountMax else { return nil }
        let index = TypeIndex(types.count)
        types[name] = index
        newTypes.append((index, name))
        return index
    }
}

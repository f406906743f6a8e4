/// The key of an entity.
package struct ReferenceKey: Hashable, Comparable, Sendable {
    /// The library of the entity.
    package let library: [UInt8]
    /// The type of the entity.
    package let type: [UInt8]
    /// The id of the entity.
    package let id: [UInt8]

    /// Creates a key.
    package init(library: [UInt8], type: [UInt8], id: [UInt8]) {
        self.library = library
        self.type = type
        self.id = id
    }

    /// Compares in key order: libraries by bytes, then the bytes of `type:id`, so that `a-b:` precedes `a:`.
    package static func < (left: ReferenceKey, right: ReferenceKey) -> Bool {
        if left.library != right.library { return left.library.lexicographicallyPrecedes(right.library) }
        return left.joined.lexicographicallyPrecedes(right.joined)
    }

    private var joined: [UInt8] { type + [UInt8(ascii: ":")] + id }
}

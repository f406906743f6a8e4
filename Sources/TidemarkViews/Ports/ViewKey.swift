import TidemarkModel

/// The key of an entity in the library of a view: the cache's own name of its type, and its id.
package struct ViewKey: Hashable, Sendable {
    /// The cache's own name of the type.
    package let type: ByteString
    /// The id in its canonical form, as ``/TidemarkModel/EntityKey/id``.
    package let id: ByteString

    /// Creates a key.
    ///
    /// - Parameter id: A canonical id.
    package init(type: ByteString, id: ByteString) {
        self.type = type
        self.id = id
    }

    /// The key as `type:id`.
    package var text: ByteString { EntityKey(library: "", type: type, canonicalID: id).text }
}

extension ViewKey: Comparable {
    /// Orders keys by the bytes of `type:id`.
    package static func < (left: ViewKey, right: ViewKey) -> Bool { left.text < right.text }
}

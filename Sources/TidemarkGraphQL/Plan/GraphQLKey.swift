import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// The key of an entity within a library: its type in the cache and its id.
///
/// - Source: Protocol/graphql.md, identity.
package struct GraphQLKey: Hashable, Sendable, Comparable {
    /// The type of the entity in the cache.
    package let type: ByteString
    /// The id of the entity in its canonical form.
    package let id: ByteString

    /// The type of the entities of root fields.
    package static let rootType: ByteString = "Query"
    /// The name of the only member of a reference.
    package static let referenceName: ByteString = "__ref"

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - type: The type of the entity in the cache.
    ///   - id: The id. A UUID in hyphenated form is put into lowercase.
    package init(type: ByteString, id: ByteString) {
        self.type = type
        self.id = EntityKey.canonicalID(id)
    }

    /// Creates a key from an id that is canonical already.
    ///
    /// - Parameter canonicalID: An id that was taken from a key.
    init(type: ByteString, canonicalID: ByteString) {
        self.type = type
        id = canonicalID
    }

    /// Creates the key of a root field's entity. Its id is used unchanged.
    package init(root id: ByteString) {
        type = GraphQLKey.rootType
        self.id = id
    }

    /// Returns the key of the entity in a library.
    package func entityKey(in library: ByteString) -> EntityKey {
        EntityKey(library: library, type: type, canonicalID: id)
    }

    /// The key as `type:id`.
    package var text: ByteString { entityKey(in: "").text }

    /// Parses the text of a reference.
    ///
    /// - Returns: nil if the text is not of the form `type:id`.
    package init?(text: ByteString) {
        guard let key = EntityKey(text: text) else { return nil }
        type = key.type
        id = key.id
    }

    /// Appends `{"__ref":"type:id"}`.
    package func appendReference(to bytes: inout [UInt8]) {
        bytes += "{\"__ref\":".utf8
        CanonicalString.append(text.bytes, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Compares keys by their text.
    package static func < (left: GraphQLKey, right: GraphQLKey) -> Bool { left.text < right.text }
}

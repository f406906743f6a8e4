import TidemarkModel
import TidemarkStore

/// The key of an entity within a library: its type in the cache and its id.
///
/// - Source: Protocol/graphql.md, identity.
package struct GraphKey: Hashable, Sendable, Comparable {
    package let type: ByteString
    package let id: ByteString

    /// The type of the entities of root fields.
    package static let rootType: ByteString = "Query"
    /// The name of the one member of a reference.
    package static let referenceName: ByteString = "__ref"

    /// - Parameter id: A UUID in hyphenated form is put into lower case.
    package init(type: ByteString, id: ByteString) {
        self.type = type
        self.id = EntityKey.canonicalID(id)
    }

    /// - Parameter canonicalID: An id from a key.
    init(type: ByteString, canonicalID: ByteString) {
        self.type = type
        id = canonicalID
    }

    /// Makes the key of a root field's entity: its id is kept as it is.
    package init(root id: ByteString) {
        type = GraphKey.rootType
        self.id = id
    }

    package func entityKey(in library: ByteString) -> EntityKey {
        EntityKey(library: library, type: type, canonicalID: id)
    }

    /// The key as `type:id`.
    package var text: ByteString { entityKey(in: "").text }

    /// Reads the text of a reference.
    ///
    /// - Returns: nil for text that is not `type:id`.
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

    package static func < (left: GraphKey, right: GraphKey) -> Bool { left.text < right.text }
}

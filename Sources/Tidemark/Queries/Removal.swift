import TidemarkModel

/// The selection of a library's entities to remove: an entity must match every part that is set.
public struct Removal: Hashable, Sendable {
    public var library: ByteString
    public var resourceType: ByteString?
    /// Ids of `resourceType`, which must be set too.
    public var ids: [ByteString]?
    /// A literal part of `type:id`; ASCII letters match in either case.
    public var matching: ByteString?
    /// Whether entities are removed too that are reached by references which the policy names.
    public var cascades = false

    public init(library: ByteString = "") {
        self.library = library
    }
}

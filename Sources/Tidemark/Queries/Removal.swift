import TidemarkModel

/// Which entities of a library to remove: those that match every part that is set.
public struct Removal: Hashable, Sendable {
    /// The library of the entities.
    public var library: ByteString
    /// The type of the entities; nil for any.
    public var resourceType: ByteString?
    /// The ids of the entities; needs ``resourceType``. nil for any.
    public var ids: [ByteString]?
    /// A literal part of `type:id`; ASCII letters match in either case. nil for any.
    public var matching: ByteString?
    /// Whether to remove also entities that are reached by references that the policy names. Default: false.
    public var cascades = false

    /// Makes a removal that matches every entity of a library until a part is set.
    public init(library: ByteString = "") {
        self.library = library
    }
}

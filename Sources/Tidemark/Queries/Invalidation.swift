import TidemarkModel

/// The selection of a library's queries to invalidate: a query must match every part that is set.
public struct Invalidation: Hashable, Sendable {
    public var library: ByteString
    public var method: ByteString?
    /// Canonical JSON; see ``TidemarkModel/QueryKey/input``.
    public var input: ByteString?
    public var resourceType: ByteString?
    /// A JSON array of strings, of which a query must have any, or an object, of which it must have every member.
    public var tags: [UInt8]?
    /// A JSON object that is matched like the hints of a bulk operation.
    public var hints: [UInt8]?

    /// Makes an invalidation that matches every query of the library until a part is set.
    public init(library: ByteString = "") {
        self.library = library
    }
}

import TidemarkModel

/// Which queries of a library to mark as stale: those that match every part that is set.
public struct Invalidation: Hashable, Sendable {
    /// The library of the queries.
    public var library: ByteString
    /// The method of the queries; nil for any.
    public var method: ByteString?
    /// The input of the queries as canonical JSON, as ``/TidemarkModel/QueryKey/input`` has it; nil for any.
    public var input: ByteString?
    /// The type of the queries' resources; nil for any.
    public var resourceType: ByteString?
    /// The tags of the queries as JSON: an array of strings, of which a query must have any, or an object, of which it
    /// must have every member. nil for any.
    public var tags: [UInt8]?
    /// A JSON object that is matched like the hints of a bulk operation; nil for any.
    public var hints: [UInt8]?

    /// Makes an invalidation that matches every query of a library until a part is set.
    public init(library: ByteString = "") {
        self.library = library
    }
}

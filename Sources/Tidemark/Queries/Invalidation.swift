import TidemarkModel

/// Which queries of a library to mark stale: those that every given part matches.
public struct Invalidation: Hashable, Sendable {
    public var library: ByteString
    public var method: ByteString?
    /// Canonical JSON; see ``TidemarkModel/QueryKey/input``.
    public var input: ByteString?
    public var resourceType: ByteString?
    /// A JSON array of strings, any of which a query must bear, or an object whose members it must all bear.
    public var tags: [UInt8]?
    /// A JSON object, matched as the hints of a bulk operation are.
    public var hints: [UInt8]?

    /// Matches every query of the library until a part is set.
    public init(library: ByteString = "") {
        self.library = library
    }
}

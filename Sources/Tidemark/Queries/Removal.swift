import TidemarkModel

/// Which entities of a library to forget: those that every given part matches.
public struct Removal: Hashable, Sendable {
    public var library: ByteString
    public var resourceType: ByteString?
    /// Of `resourceType`, which must be given too.
    public var ids: [ByteString]?
    /// A literal part of `type:id`; letters of ASCII match in either case.
    public var matching: ByteString?
    /// Follow references that the policy names.
    public var cascades = false

    public init(library: ByteString = "") {
        self.library = library
    }
}

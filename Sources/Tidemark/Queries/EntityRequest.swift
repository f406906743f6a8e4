import TidemarkModel

/// What a read of one entity asks for.
public struct EntityRequest: Hashable, Sendable {
    public var key: EntityKey
    /// The top-level fields that are wanted; nil: everything.
    public var fields: [ByteString]?
    /// The read's own limits, in seconds, by `<type>` or `<type>.<field>`; they go before those of the policy.
    public var maxAges: [ByteString: Int] = [:]
    /// Of an observer: tell it, or fetch for it, when something becomes too old; see Protocol/sessions.md, refreshing.
    public var refreshes = false
    /// How long past its age a field is good enough, in milliseconds; nil: not at all.
    public var maxStale: Int64?

    public init(_ key: EntityKey, fields: [ByteString]? = nil) {
        self.key = key
        self.fields = fields
    }
}

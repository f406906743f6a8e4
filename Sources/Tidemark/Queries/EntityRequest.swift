import TidemarkModel

/// A request to read one entity.
public struct EntityRequest: Hashable, Sendable {
    public var key: EntityKey
    /// The names of the wanted top-level fields; nil: all fields.
    public var fields: [ByteString]?
    /// The read's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override those of the policy.
    public var maxAges: [ByteString: Int] = [:]
    /// Whether an observer is notified, or data is fetched for it, when something becomes too old; see
    /// Protocol/sessions.md, refreshing.
    public var refreshes = false
    /// The time past its age limit for which a field is still accepted; nil: none.
    public var maxStale: Duration?

    public init(_ key: EntityKey, fields: [ByteString]? = nil) {
        self.key = key
        self.fields = fields
    }
}

/// A selected field that is too old for a read.
public struct ExpiredField: Hashable, Sendable {
    public var key: EntityKey
    /// The name of the top-level field.
    public var field: ByteString
    /// The time of the field's last write, in milliseconds since 1970.
    public var writtenAt: Int64
    /// The age limit, in seconds.
    public var maxAge: Int
    /// The time past the age limit, in milliseconds; 0 at the moment the limit is reached.
    public var overdue: Int64

    package init(key: EntityKey, field: ByteString, writtenAt: Int64, maxAge: Int, overdue: Int64) {
        self.key = key
        self.field = field
        self.writtenAt = writtenAt
        self.maxAge = maxAge
        self.overdue = overdue
    }
}

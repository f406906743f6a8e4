/// A selected field that is too old for a read.
public struct ExpiredField: Hashable, Sendable {
    public var key: EntityKey
    /// Top-level.
    public var field: ByteString
    /// Milliseconds since 1970.
    public var writtenAt: Int64
    /// Seconds.
    public var maxAge: Int
    /// Milliseconds past its age; 0 at the moment it is reached.
    public var overdue: Int64

    package init(key: EntityKey, field: ByteString, writtenAt: Int64, maxAge: Int, overdue: Int64) {
        self.key = key
        self.field = field
        self.writtenAt = writtenAt
        self.maxAge = maxAge
        self.overdue = overdue
    }
}

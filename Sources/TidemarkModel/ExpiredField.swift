/// A field that is too old for a read.
public struct ExpiredField: Hashable, Sendable {
    /// The entity that has the field.
    public var key: EntityKey
    /// The name of the top-level field.
    public var field: ByteString
    /// When the field was last written, in milliseconds since 1970.
    public var writtenAt: Int64
    /// The age limit, in seconds.
    public var maxAge: Int
    /// How long ago the age limit was reached, in milliseconds; 0 at that moment.
    public var overdue: Int64

    package init(key: EntityKey, field: ByteString, writtenAt: Int64, maxAge: Int, overdue: Int64) {
        self.key = key
        self.field = field
        self.writtenAt = writtenAt
        self.maxAge = maxAge
        self.overdue = overdue
    }
}

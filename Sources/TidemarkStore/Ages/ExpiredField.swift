import TidemarkModel

/// A selected field that is too old for a read.
package struct ExpiredField: Hashable, Sendable {
    package var key: EntityKey
    /// Top-level.
    package var field: ByteString
    /// Milliseconds since 1970.
    package var writtenAt: Int64
    /// Seconds.
    package var maxAge: Int
    /// Milliseconds past its age; 0 at the moment it is reached.
    package var overdue: Int64

    package init(key: EntityKey, field: ByteString, writtenAt: Int64, maxAge: Int, overdue: Int64) {
        self.key = key
        self.field = field
        self.writtenAt = writtenAt
        self.maxAge = maxAge
        self.overdue = overdue
    }
}

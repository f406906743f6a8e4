/// A run of bytes inside an ``EventBatch``.
package struct ByteRange: Hashable, Sendable {
    package var offset: UInt32
    package var count: UInt32

    @inlinable
    package init(offset: UInt32, count: UInt32) {
        self.offset = offset
        self.count = count
    }

    /// A range for a missing value: absent or null on the wire.
    package static let absent = ByteRange(offset: .max, count: 0)

    @inlinable
    package var isAbsent: Bool { offset == .max }
}

/// The position of some bytes inside an ``EventBatch``.
package struct ByteRange: Hashable, Sendable {
    /// The offset of the first byte; its top bit selects the buffer, see ``EventBytes``.
    package var offset: UInt32
    /// The number of bytes.
    package var count: UInt32

    @inlinable
    package init(offset: UInt32, count: UInt32) {
        self.offset = offset
        self.count = count
    }

    /// The range of a value that is absent or null on the wire.
    package static let absent = ByteRange(offset: .max, count: 0)

    /// True for ``absent``.
    @inlinable
    package var isAbsent: Bool { offset == .max }
}

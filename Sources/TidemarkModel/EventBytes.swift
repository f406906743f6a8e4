/// The bytes that a batch's events point into: the input block, and the bytes that were rewritten.
///
/// A ``ByteRange`` whose offset has the top bit set points into `rewritten`, any other into `block`.
package struct EventBytes {
    package let block: UnsafeRawBufferPointer
    package let rewritten: UnsafeRawBufferPointer

    @inlinable
    package init(block: UnsafeRawBufferPointer, rewritten: UnsafeRawBufferPointer) {
        self.block = block
        self.rewritten = rewritten
    }

    /// The top bit of an offset; set when the range is in `rewritten`.
    package static let rewrittenFlag: UInt32 = 1 << 31

    /// - Parameter range: A range that is present, not ``ByteRange/absent``.
    /// - Complexity: O(1), nothing is copied.
    @inlinable
    package subscript(range: ByteRange) -> UnsafeRawBufferPointer {
        let isRewritten = range.offset & EventBytes.rewrittenFlag != 0
        let start = Int(range.offset & ~EventBytes.rewrittenFlag)
        return UnsafeRawBufferPointer(
            rebasing: (isRewritten ? rewritten : block)[start..<start + Int(range.count)])
    }
}

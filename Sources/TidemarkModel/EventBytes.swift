/// The bytes that a batch's events refer to: the input block, and the bytes that were rewritten.
///
/// A ``ByteRange`` whose offset has the top bit set is in `rewritten`, any other in `block`.
package struct EventBytes {
    /// The input block.
    package let block: UnsafeRawBufferPointer
    /// The bytes that were rewritten.
    package let rewritten: UnsafeRawBufferPointer

    @inlinable
    package init(block: UnsafeRawBufferPointer, rewritten: UnsafeRawBufferPointer) {
        self.block = block
        self.rewritten = rewritten
    }

    /// The top bit of an offset, set for a range in `rewritten`.
    package static let rewrittenFlag: UInt32 = 1 << 31

    /// The bytes of a range that is not ``ByteRange/absent``.
    ///
    /// - Complexity: O(1); nothing is copied.
    @inlinable
    package subscript(range: ByteRange) -> UnsafeRawBufferPointer {
        let isRewritten = range.offset & EventBytes.rewrittenFlag != 0
        let start = Int(range.offset & ~EventBytes.rewrittenFlag)
        return UnsafeRawBufferPointer(
            rebasing: (isRewritten ? rewritten : block)[start..<start + Int(range.count)])
    }
}

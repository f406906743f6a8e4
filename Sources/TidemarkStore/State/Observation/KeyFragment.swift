import TidemarkModel

/// A literal part of `type:id`, in which ASCII letters match in either case.
package struct KeyFragment: Sendable {
    private let lowered: [UInt8]

    package init(_ part: ByteString) { lowered = part.bytes.map(KeyFragment.lowered) }

    /// - Complexity: O(key · part), in practice O(key).
    func isFound(in key: ByteString) -> Bool {
        guard let first = lowered.first else { return true }
        let name = key.bytes.map(KeyFragment.lowered)
        guard lowered.count <= name.count else { return false }
        return (0...name.count - lowered.count).contains { name[$0] == first && name[$0...].starts(with: lowered) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}

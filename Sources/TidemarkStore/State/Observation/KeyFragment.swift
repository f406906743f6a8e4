import TidemarkModel

/// A part of a key's text `type:id` to search for. ASCII letters match in either case.
package struct KeyFragment: Sendable {
    private let lowered: [UInt8]

    /// Creates a fragment from literal text.
    package init(_ part: ByteString) { lowered = part.bytes.map(KeyFragment.lowered) }

    /// Returns true if a key's text contains the fragment. An empty fragment is in every key.
    ///
    /// - Complexity: O(key · part), in practice O(key).
    func isFound(in key: ByteString) -> Bool {
        guard let first = lowered.first else { return true }
        let name = key.bytes.map(KeyFragment.lowered)
        guard lowered.count <= name.count else { return false }
        return (0...name.count - lowered.count).contains { name[$0] == first && name[$0...].starts(with: lowered) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}

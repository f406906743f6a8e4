import TidemarkModel

/// HMAC-SHA-256 with one key.
///
/// - Source: RFC 2104.
struct MessageCode: Sendable {
    private static let blockByteCount = 64

    private let inner: [UInt8]
    private let outer: [UInt8]

    /// Creates a code.
    ///
    /// - Parameter key: At most 64 bytes.
    init(key: [UInt8]) {
        precondition(key.count <= MessageCode.blockByteCount, "a key of \(key.count) bytes was given, 64 are the most")
        let padded = key + [UInt8](repeating: 0, count: MessageCode.blockByteCount - key.count)
        inner = padded.map { $0 ^ 0x36 }
        outer = padded.map { $0 ^ 0x5C }
    }

    /// Returns the code of a message: 32 bytes.
    func bytes(of message: [UInt8]) -> [UInt8] {
        SHA256Digest(of: outer + SHA256Digest(of: inner + message).bytes).bytes
    }
}

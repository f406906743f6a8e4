import TidemarkModel

/// A response with several ranges, as `multipart/byteranges`.
///
/// - Source: RFC 9110, sections 14.6 and 15.3.7.2.
package struct RangeMessage: Hashable, Sendable {
    /// The ranges in their order.
    package let parts: [ContentRange]
    private let partType: ByteString?
    private let boundary: String

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - parts: The ranges.
    ///   - head: The head of the stored response, whose type is that of every part.
    ///   - boundary: The boundary between the parts.
    package init(_ parts: [ContentRange], of head: ResponseHead, boundary: String) {
        self.parts = parts
        self.boundary = boundary
        partType = head.fields.first("content-type")
    }

    /// The `Content-Type` of the message.
    package var type: String { "multipart/byteranges; boundary=\(boundary)" }

    /// Returns the body of the message.
    ///
    /// - Parameter whole: The complete stored body.
    /// - Precondition: The body contains all ranges.
    /// - Complexity: O(bytes of the parts).
    package func body(_ whole: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            bytes += Array("\r\n--\(boundary)\r\n".utf8)
            if let partType { bytes += Array("Content-Type: ".utf8) + partType.bytes + [0x0D, 0x0A] }
            bytes += Array("Content-Range: \(part.text)\r\n\r\n".utf8)
            bytes += whole[Int(part.bounds.lowerBound)..<Int(part.bounds.upperBound)]
        }
        return bytes + Array("\r\n--\(boundary)--\r\n".utf8)
    }
}

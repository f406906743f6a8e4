import TidemarkHTTPRules
import TidemarkModel

/// A GraphQL server, and the headers of requests to it.
package struct DocumentServer: Sendable {
    /// The URL that requests are sent to.
    package let url: HTTPURL
    /// The configured headers. Their values may be credentials.
    package let fields: HeaderFields
    /// The name of the header that carries the id of a mutation's layer.
    package let pendingField: ByteString
    /// The time limit for a response. For a response in parts it applies to the head, and to each wait
    /// for the next part.
    package let timeout: Duration

    /// Creates an endpoint.
    package init(url: HTTPURL, fields: HeaderFields, pendingField: ByteString, timeout: Duration) {
        self.url = url
        self.fields = fields
        self.pendingField = pendingField
        self.timeout = timeout
    }

    /// The time limit for connecting, unless the response has less.
    package static let connectTimeoutMax: Duration = .seconds(10)
    /// The largest response or part, in bytes: 64 MiB.
    package static let answerByteCountMax = 64 << 20
    /// How many bytes of a rejected response an error shows.
    private static let excerptByteCountMax = 300

    /// Returns the beginning of a body, with the values of the configured headers masked.
    package func excerpt(_ body: [UInt8]) -> String {
        var text = String(decoding: body.prefix(4 * DocumentServer.excerptByteCountMax), as: UTF8.self)
        // Longer values first, because one may be a part of another.
        let values = fields.fields.map(\.value.description).filter { !$0.isEmpty }
        for value in values.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            text = text.split(separator: value, omittingEmptySubsequences: false).joined(separator: "***")
            // A bearer token is a secret even without its scheme.
            if let space = value.lastIndex(of: " "), value.distance(from: space, to: value.endIndex) > 4 {
                let secret = value[value.index(after: space)...]
                text = text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "***")
            }
        }
        var bytes = Array(text.utf8.prefix(DocumentServer.excerptByteCountMax))
        while !bytes.isEmpty, String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

import TidemarkHTTPRules
import TidemarkModel

/// A server of GraphQL, and the fields that its requests carry.
package struct GraphEndpoint: Sendable {
    package let url: HTTPURL
    /// The configured fields; their values may be credentials.
    package let fields: HeaderFields
    /// The name of the field that carries the id of a mutation's layer.
    package let pendingField: ByteString
    /// The milliseconds until an answer is there: until its head, then until all of it, or between two parts of one.
    package let timeout: Int64

    package init(url: HTTPURL, fields: HeaderFields, pendingField: ByteString, timeout: Int64) {
        self.url = url
        self.fields = fields
        self.pendingField = pendingField
        self.timeout = timeout
    }

    /// The milliseconds until there is a connection; less where the answer has less.
    package static let connectTimeoutMax: Int64 = 10_000
    /// The largest answer: 64 MiB.
    package static let answerByteCountMax = 64 << 20
    /// The bytes of a refusal that an error shows.
    private static let excerptByteCountMax = 300

    /// Returns the beginning of a body, with the values of the configured fields masked.
    package func excerpt(_ body: [UInt8]) -> String {
        var text = String(decoding: body.prefix(4 * GraphEndpoint.excerptByteCountMax), as: UTF8.self)
        // Longer values first: one may be a part of another.
        let values = fields.fields.map(\.value.description).filter { !$0.isEmpty }
        for value in values.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            text = text.split(separator: value, omittingEmptySubsequences: false).joined(separator: "***")
            // A bearer token is a secret without its scheme too.
            if let space = value.lastIndex(of: " "), value.distance(from: space, to: value.endIndex) > 4 {
                let secret = value[value.index(after: space)...]
                text = text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "***")
            }
        }
        var bytes = Array(text.utf8.prefix(GraphEndpoint.excerptByteCountMax))
        while !bytes.isEmpty, String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

import TidemarkHTTPRules
import TidemarkModel

/// Decides which HTTP bodies are sent as text.
package enum HTTPText {
    /// Returns true if the content type is UTF-8 text and the body has no `Content-Encoding`.
    package static func isText(_ fields: HeaderFields) -> Bool {
        guard !fields.contains("content-encoding"), let type = fields.first("content-type") else { return false }
        let parts = ASCII.members(type.bytes, separator: UInt8(ascii: ";"))
        guard let first = parts.first else { return false }
        let name = String(decoding: first.map(ASCII.lowercased), as: UTF8.self)
        for part in parts.dropFirst() {
            let text = String(decoding: part.map(ASCII.lowercased), as: UTF8.self)
            guard text.hasPrefix("charset=") else { continue }
            let charset = text.dropFirst(8).filter { $0 != "\"" }
            return charset == "utf-8" || charset == "us-ascii" || charset == "utf8"
        }
        if name.hasPrefix("text/") { return true }
        return name.hasSuffix("+json") || name.hasSuffix("+xml") || texts.contains(name)
    }

    private static let texts: Set<String> = [
        "application/json", "application/xml", "application/javascript", "application/x-www-form-urlencoded",
        "application/graphql", "application/x-ndjson", "application/yaml", "image/svg+xml",
    ]
}

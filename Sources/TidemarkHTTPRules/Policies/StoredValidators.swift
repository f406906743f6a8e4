import TidemarkModel

/// The validators of a stored answer, and the one URL that may be asked with them.
///
/// Two URLs may give the same tag or date to different bodies. A validator that followed a redirect would confirm the
/// body of one URL with the 304 of another, and show it to an origin that never gave it.
///
/// - Source: RFC 9111, section 4.3.1; RFC 9110, sections 13 and 15.4.
package struct StoredValidators: Hashable, Sendable {
    /// The URL that gave the answer, after redirects.
    package let url: HTTPURL
    private let fields: HeaderFields

    private static let names = ["if-none-match", "if-modified-since"]

    /// - Parameters:
    ///   - stored: The answer that the validators ask about.
    ///   - url: The URL that gave it.
    /// - Returns: nil for an answer without a validator.
    package init?(_ stored: StoredHead, from url: HTTPURL) {
        var fields = HeaderFields()
        if let tag = stored.head.fields.first("etag"), EntityTag(tag.bytes) != nil {
            fields.fields.append(.init("If-None-Match", tag))
        }
        if let modified = stored.head.fields.first("last-modified"), HTTPDate.parse(modified) != nil {
            fields.fields.append(.init("If-Modified-Since", modified))
        }
        if fields.isEmpty { return nil }
        self.fields = fields
        self.url = url
    }

    /// Adds the validators to a request for their own URL, in place of the caller's.
    ///
    /// - Returns: Whether they were added; false for a request for any other URL.
    package func add(to request: inout RequestHead) -> Bool {
        guard request.url == url else { return false }
        StoredValidators.remove(from: &request)
        request.fields.fields += fields.fields
        return true
    }

    /// Removes every validator for a whole answer from a request that goes on to another URL.
    package static func remove(from request: inout RequestHead) {
        for name in names { request.fields.remove(name) }
    }
}

import TidemarkModel

/// The validators of a stored response, and the only URL to which they may be sent.
///
/// Two URLs may use the same tag or date for different bodies. If a validator followed a redirect, the 304 of one URL
/// would confirm the body of another, and the validator would be disclosed to an origin that it does not belong to.
///
/// - Source: RFC 9111, section 4.3.1; RFC 9110, sections 13 and 15.4.
package struct StoredValidators: Hashable, Sendable {
    /// The URL that sent the response, after redirects.
    package let url: HTTPURL
    private let fields: HeaderFields

    private static let names = ["if-none-match", "if-modified-since"]

    /// Collects the validators of a response.
    ///
    /// - Parameters:
    ///   - stored: The stored response.
    ///   - url: The URL that sent it.
    /// - Returns: nil if the response has no validator.
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

    /// Adds the validators to a request to their URL, in place of the caller's.
    ///
    /// - Returns: True if they were added; false if the request is for another URL.
    package func add(to request: inout RequestHead) -> Bool {
        guard request.url == url else { return false }
        StoredValidators.remove(from: &request)
        request.fields.fields += fields.fields
        return true
    }

    /// Removes the validators of a whole response from a request that is redirected to another URL.
    package static func remove(from request: inout RequestHead) {
        for name in names { request.fields.remove(name) }
    }
}

import HTTPTypes

/// Header fields of responses.
///
/// - Source: Protocol/serving.md, security.
enum ServerFields {
    /// The header fields of every response.
    static let common: HTTPFields = {
        var fields = HTTPFields()
        fields[.contentSecurityPolicy] = "default-src 'self'; frame-ancestors 'none'"
        fields[.xContentTypeOptions] = "nosniff"
        fields[.frameOptions] = "DENY"
        fields[.referrerPolicy] = "no-referrer"
        fields[.cacheControl] = "no-store"
        fields[.resourcePolicy] = "same-origin"
        return fields
    }()

    /// Adds the common fields, and the CORS fields if the origin is allowed.
    static func complete(_ fields: inout HTTPFields, for allowedOrigin: String?) {
        for field in common where fields[field.name] == nil { fields.append(field) }
        guard let allowedOrigin else { return }
        for field in sharing(with: allowedOrigin) { fields[field.name] = field.value }
    }

    /// The CORS fields that let a page of another origin read the response.
    static func sharing(with origin: String) -> HTTPFields {
        var fields = HTTPFields()
        fields[.accessControlAllowOrigin] = origin
        fields[.vary] = "Origin"
        fields[.accessControlExposeHeaders] = "ETag"
        fields[.resourcePolicy] = "cross-origin"
        return fields
    }

    /// The CORS fields of the response to a preflight request.
    static func preflight(_ route: ServerRoute) -> HTTPFields {
        var fields = HTTPFields()
        fields[.accessControlAllowMethods] = route.methods.map(\.rawValue).joined(separator: ", ")
        fields[.accessControlAllowHeaders] =
            "Authorization, Content-Type, Content-Encoding, If-None-Match, Last-Event-ID, Tidemark-Stream"
        fields[.accessControlMaxAge] = "600"
        return fields
    }
}

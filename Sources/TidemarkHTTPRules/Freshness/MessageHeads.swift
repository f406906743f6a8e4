import TidemarkModel

/// The method, URL and header fields of a request.
package struct RequestHead: Hashable, Sendable {
    /// The method in its original case, because methods are case-sensitive.
    package var method: ByteString
    /// The URL that is requested.
    package var url: HTTPURL
    /// The header fields.
    package var fields: HeaderFields

    /// Creates the head of a request.
    package init(method: ByteString, url: HTTPURL, fields: HeaderFields) {
        self.method = method
        self.url = url
        self.fields = fields
    }

    /// True if the method does not change anything on the server.
    ///
    /// - Source: RFC 9110, section 9.2.1.
    package var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

    /// True if the caller's request has validators of its own, which a cache may evaluate.
    package var hasOwnValidators: Bool {
        fields.contains("if-none-match") || fields.contains("if-modified-since")
    }
}

/// The status and header fields of a response.
package struct ResponseHead: Hashable, Sendable {
    /// The status code.
    package var status: Int
    /// The reason phrase; empty if the version of HTTP has none.
    package var reason: ByteString
    /// The header fields.
    package var fields: HeaderFields

    /// Creates the head of a response.
    package init(status: Int, reason: ByteString = "", fields: HeaderFields) {
        self.status = status
        self.reason = reason
        self.fields = fields
    }
}

/// A stored response without its body, with the times of request and response in milliseconds since 1970.
package struct StoredHead: Hashable, Sendable {
    /// The status and header fields.
    package var head: ResponseHead
    /// When the request was sent that got the response, or its last confirmation.
    package var requestedAt: Int64
    /// When the response arrived, or was last confirmed.
    package var answeredAt: Int64
    /// The length of the stored body in bytes.
    package var byteCount: Int64
    /// True if the clock was set back to before these times, so that the time since then is unknown.
    package var isUndated = false

    /// Creates the record of a response.
    package init(head: ResponseHead, requestedAt: Int64, answeredAt: Int64, byteCount: Int64) {
        self.head = head
        self.requestedAt = requestedAt
        self.answeredAt = answeredAt
        self.byteCount = byteCount
    }

    /// Returns how long ago the response arrived or was last confirmed, in whole seconds; never negative.
    package func sinceConfirmed(at now: Int64) -> Int64 { millisecondsSinceConfirmed(at: now) / 1_000 }

    func millisecondsSinceConfirmed(at now: Int64) -> Int64 { max(0, now.subtractingClamped(answeredAt)) }

    /// True if the clock shows an earlier time than that of the response, or was set back since. The age is then
    /// unknown, and the response is not fresh.
    package func isFromFuture(at now: Int64) -> Bool { isUndated || now < answeredAt }
}

import TidemarkModel

/// The head of a request, as the rules see it.
package struct RequestHead: Hashable, Sendable {
    /// The method as it was written: methods are case-sensitive.
    package var method: ByteString
    package var url: HTTPURL
    package var fields: HeaderFields

    package init(method: ByteString, url: HTTPURL, fields: HeaderFields) {
        self.method = method
        self.url = url
        self.fields = fields
    }

    /// Whether the method promises to change nothing.
    ///
    /// - Source: RFC 9110, section 9.2.1.
    package var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }

    /// Whether the caller asks on conditions of its own that a cache may answer.
    package var hasOwnValidators: Bool {
        fields.contains("if-none-match") || fields.contains("if-modified-since")
    }
}

/// The head of an answer.
package struct ResponseHead: Hashable, Sendable {
    package var status: Int
    /// The reason phrase; empty where the version of HTTP has none.
    package var reason: ByteString
    package var fields: HeaderFields

    package init(status: Int, reason: ByteString = "", fields: HeaderFields) {
        self.status = status
        self.reason = reason
        self.fields = fields
    }
}

/// A stored answer without its body, and when it came. Instants are milliseconds since 1970.
package struct StoredHead: Hashable, Sendable {
    package var head: ResponseHead
    /// The instant when the request was sent that brought the answer, or that confirmed it last.
    package var requestedAt: Int64
    /// The instant when the answer came, or was confirmed last.
    package var answeredAt: Int64
    /// The length of the stored body.
    package var byteCount: Int64
    /// Whether the clock was set back to before the instants above: how much time has passed since is not known.
    package var isUndated = false

    package init(head: ResponseHead, requestedAt: Int64, answeredAt: Int64, byteCount: Int64) {
        self.head = head
        self.requestedAt = requestedAt
        self.answeredAt = answeredAt
        self.byteCount = byteCount
    }

    /// Returns the whole seconds since the answer came or was confirmed; never negative.
    package func sinceConfirmed(at now: Int64) -> Int64 { millisecondsSinceConfirmed(at: now) / 1_000 }

    func millisecondsSinceConfirmed(at now: Int64) -> Int64 { max(0, now.subtractingClamped(answeredAt)) }

    /// Whether the clock shows an earlier time than the one at which the answer was stored, or was set back since. Then
    /// nothing can be said of its age, and it is not fresh.
    package func isFromFuture(at now: Int64) -> Bool { isUndated || now < answeredAt }
}

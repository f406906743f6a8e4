import TidemarkModel

extension StoredHead {
    /// The fields of a 304 or a response to HEAD that do not replace stored ones, because they concern one message or
    /// the stored bytes.
    ///
    /// - Source: RFC 9111, section 3.2.
    private static let kept: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "content-length", "content-encoding",
        "content-range", "content-type", "set-cookie", "set-cookie2",
    ]

    /// Returns the response updated by a confirmation, with the age of the confirmation.
    ///
    /// - Source: RFC 9111, sections 3.2 and 4.3.4.
    package func confirmed(by head: ResponseHead, requestedAt: Int64, answeredAt: Int64) -> StoredHead {
        var confirmed = self
        confirmed.requestedAt = requestedAt
        confirmed.answeredAt = answeredAt
        confirmed.isUndated = false
        // The age that an intermediary gave to the older message does not apply to the new one.
        confirmed.head.fields.remove("age")
        let named = StoredHead.namedByConnection(head.fields)
        var replaced: Set<String> = []
        for field in head.fields.fields {
            let name = String(decoding: field.name.bytes.map(ASCII.lowercased), as: UTF8.self)
            guard !StoredHead.kept.contains(name), !named.contains(name) else { continue }
            if replaced.insert(name).inserted {
                // The new fields take the position of the old ones.
                let place = confirmed.head.fields.fields.firstIndex { ASCII.equals($0.name.bytes, lower: name.utf8) }
                confirmed.head.fields.remove(name)
                let end = confirmed.head.fields.fields.count
                confirmed.head.fields.fields.insert(field, at: min(place ?? end, end))
            } else {
                let last = confirmed.head.fields.fields.lastIndex { ASCII.equals($0.name.bytes, lower: name.utf8) }
                let end = confirmed.head.fields.fields.count
                confirmed.head.fields.fields.insert(field, at: last.map { $0 + 1 } ?? end)
            }
        }
        return confirmed
    }

    /// Returns the fields of a response that are stored: without those that concern one connection or one request.
    ///
    /// - Source: RFC 9111, section 3.1.
    package static func storable(_ fields: HeaderFields) -> HeaderFields {
        let dropped: Set<String> = [
            "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
            "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "set-cookie", "set-cookie2",
        ]
        let named = namedByConnection(fields)
        return HeaderFields(
            fields.fields.filter { field in
                let name = String(decoding: field.name.bytes.map(ASCII.lowercased), as: UTF8.self)
                return !dropped.contains(name) && !named.contains(name)
            })
    }

    private static func namedByConnection(_ fields: HeaderFields) -> Set<String> {
        Set(
            (fields.combined("connection").map { ASCII.members($0.bytes) } ?? []).map {
                String(decoding: $0.map(ASCII.lowercased), as: UTF8.self)
            })
    }

    /// True if a response to HEAD matches the stored response to GET. If not, the stored one is outdated.
    ///
    /// - Source: RFC 9111, section 4.3.5.
    package func agrees(withHead head: ResponseHead) -> Bool {
        for name in ["etag", "last-modified"] {
            if let theirs = head.fields.first(name), theirs != self.head.fields.first(name) { return false }
        }
        guard let length = head.fields.first("content-length") else { return true }
        return ASCII.number(length.bytes, max: .max / 16) == byteCount
    }
}

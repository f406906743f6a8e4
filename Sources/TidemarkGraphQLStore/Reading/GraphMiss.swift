import TidemarkModel
import TidemarkWire

/// The first thing that a read wanted and did not find, in document order.
///
/// - Source: Protocol/graphql.md, reading.
package struct GraphMiss: Error, Hashable, Sendable {
    /// The reason why a value is not there; the raw value is the word in `reason`.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        case absent, expired, evicted, deleted, stale
    }

    /// A field that is too old.
    package struct Expired: Hashable, Sendable {
        package var field: ByteString
        /// Milliseconds since 1970.
        package var writtenAt: Int64
        /// Seconds.
        package var maxAge: Int

        package init(field: ByteString, writtenAt: Int64, maxAge: Int) {
            self.field = field
            self.writtenAt = writtenAt
            self.maxAge = maxAge
        }
    }

    package var path: ResponsePath
    package var reason: Reason
    /// The entity that lacks it; nil when there is none.
    package var key: GraphKey?
    package var expired: Expired?

    package init(path: ResponsePath, reason: Reason, key: GraphKey?, expired: Expired? = nil) {
        self.path = path
        self.reason = reason
        self.key = key
        self.expired = expired
    }

    /// Writes the members of the error's `data`.
    package func appendMembers(to line: inout JSONLine) {
        line.name("path")
        path.appendJSON(to: &line)
        line.member("reason", Optional(ByteString(reason.rawValue)))
        line.member("key", key?.text)
        guard let expired else { return }
        line.name("expired")
        line.object { line in
            line.member("field", Optional(expired.field))
            line.member("written_at", expired.writtenAt)
            line.member("max_age", expired.maxAge)
        }
    }

    /// The miss as a sentence for people.
    package var sentence: String { "the cache lacks \(path.words) (\(reason.rawValue))" }
}

import TidemarkModel
import TidemarkJSON

/// The first thing in document order that a read needed and did not find.
///
/// - Source: Protocol/graphql.md, reading.
package struct DocumentMiss: Error, Hashable, Sendable {
    /// Why a value is missing. The raw value is the word in `reason`.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// In this order: never stored, older than its limit, evicted, deleted by the server, of a stale root field.
        case absent, expired, evicted, deleted, stale
    }

    /// A field that is too old.
    package struct Expired: Hashable, Sendable {
        /// The storage name of the field.
        package var field: ByteString
        /// When it was written, in milliseconds since 1970.
        package var writtenAt: Int64
        /// Its limit in seconds.
        package var maxAge: Int

        /// Describes a field that is too old.
        package init(field: ByteString, writtenAt: Int64, maxAge: Int) {
            self.field = field
            self.writtenAt = writtenAt
            self.maxAge = maxAge
        }
    }

    /// The path of the value in `data`.
    package var path: ResponsePath
    /// Why the value is missing.
    package var reason: Reason
    /// The entity that lacks the value; nil if there is none.
    package var key: GraphQLKey?
    /// The field that is too old; nil for other reasons.
    package var expired: Expired?

    /// Creates a miss.
    package init(path: ResponsePath, reason: Reason, key: GraphQLKey?, expired: Expired? = nil) {
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

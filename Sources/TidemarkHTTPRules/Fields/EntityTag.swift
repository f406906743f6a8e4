import TidemarkModel

/// An entity tag. One without quotes is kept as it came: servers that send it expect it back so.
///
/// - Source: RFC 9110, section 8.8.3.
package struct EntityTag: Hashable, Sendable {
    package var isWeak: Bool
    /// The opaque part, with its quotes.
    package var opaque: [UInt8]

    /// - Returns: nil for an empty value.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(ASCII.trimmed(ArraySlice(Array(bytes))))
        guard !bytes.isEmpty else { return nil }
        isWeak = bytes.starts(with: Array("W/".utf8))
        opaque = isWeak ? Array(bytes.dropFirst(2)) : bytes
        if opaque.isEmpty { return nil }
    }

    /// Reads the tag of an answer; nil without one.
    package static func of(_ fields: HeaderFields) -> EntityTag? {
        fields.first("etag").flatMap { EntityTag($0.bytes) }
    }

    /// Compares as `If-None-Match` does: weak tags match too.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Compares as `If-Match`, `If-Range` and the combining of ranges do: weak tags never match.
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Tells whether a list of tags, or `*`, matches.
    package static func list(_ list: ByteString, matchesWeakly tag: EntityTag?) -> Bool {
        let members = ASCII.members(list.bytes)
        if members.count == 1, members[0].elementsEqual([UInt8(ascii: "*")]) { return true }
        guard let tag else { return false }
        return members.contains { EntityTag($0)?.matchesWeakly(tag) ?? false }
    }
}

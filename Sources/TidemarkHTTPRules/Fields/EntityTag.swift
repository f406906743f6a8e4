import TidemarkModel

/// An entity tag. A tag without quotes is kept unchanged, because servers that send it expect it back in that form.
///
/// - Source: RFC 9110, section 8.8.3.
package struct EntityTag: Hashable, Sendable {
    /// True for a weak tag, which begins with `W/`.
    package var isWeak: Bool
    /// The tag itself, with its quotes.
    package var opaque: [UInt8]

    /// Parses a tag.
    ///
    /// - Returns: nil for an empty value.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(ASCII.trimmed(ArraySlice(Array(bytes))))
        guard !bytes.isEmpty else { return nil }
        isWeak = bytes.starts(with: Array("W/".utf8))
        opaque = isWeak ? Array(bytes.dropFirst(2)) : bytes
        if opaque.isEmpty { return nil }
    }

    /// Returns the tag of a response; nil if it has none.
    package static func of(_ fields: HeaderFields) -> EntityTag? {
        fields.first("etag").flatMap { EntityTag($0.bytes) }
    }

    /// Compares as `If-None-Match` does: weak tags can match.
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Compares as `If-Match`, `If-Range` and the combining of ranges do: weak tags never match.
    package func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// True if a list of tags, or `*`, matches a tag.
    package static func list(_ list: ByteString, matchesWeakly tag: EntityTag?) -> Bool {
        let members = ASCII.members(list.bytes)
        if members.count == 1, members[0].elementsEqual([UInt8(ascii: "*")]) { return true }
        guard let tag else { return false }
        return members.contains { EntityTag($0)?.matchesWeakly(tag) ?? false }
    }
}

import TidemarkModel

/// The single range that a request asks for. Several ranges, and other units, are left to the server.
///
/// - Source: RFC 9110, section 14.1.2.
package enum RequestedRange: Hashable, Sendable {
    case from(Int64, through: Int64?)
    case last(Int64)

    /// - Returns: nil without the field, and for what is not one range of bytes.
    package static func of(_ fields: HeaderFields) -> RequestedRange? {
        let values = fields.values("range")
        guard values.count == 1 else { return nil }
        let bytes = values[0].bytes
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
            ASCII.equals(Array(ASCII.trimmed(bytes[..<equals])), lower: "bytes".utf8)
        else { return nil }
        let members = ASCII.members(Array(bytes[(equals + 1)...]))
        guard members.count == 1, let dash = members[0].firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let max = Int64.max / 16
        let first = members[0][..<dash]
        let last = members[0][(dash + 1)...]
        if first.isEmpty { return ASCII.number(last, max: max).map { .last($0) } }
        guard let start = ASCII.number(first, max: max) else { return nil }
        if last.isEmpty { return .from(start, through: nil) }
        guard let end = ASCII.number(last, max: max), end >= start else { return nil }
        return .from(start, through: end)
    }

    /// Returns the bytes of a representation of `total` bytes; nil when it has none of them.
    package func bounds(in total: Int64) -> Range<Int64>? {
        switch self {
        case .from(let start, let end):
            guard start < total else { return nil }
            return start..<min(total, (end ?? total - 1) + 1)
        case .last(let count):
            guard count > 0, total > 0 else { return nil }
            return max(0, total - count)..<total
        }
    }
}

/// The place of a part in its representation.
///
/// - Source: RFC 9110, section 14.4.
package struct ContentRange: Hashable, Sendable {
    package var bounds: Range<Int64>
    /// The length of the representation; nil when the server does not know it.
    package var total: Int64?

    package init(bounds: Range<Int64>, total: Int64?) {
        self.bounds = bounds
        self.total = total
    }

    /// - Returns: nil for what names no bytes.
    package static func of(_ fields: HeaderFields) -> ContentRange? {
        guard let value = fields.first("content-range") else { return nil }
        let words = value.bytes.split(separator: 0x20)
        guard words.count == 2, ASCII.equals(Array(words[0]), lower: "bytes".utf8),
            let slash = words[1].firstIndex(of: UInt8(ascii: "/")),
            let dash = words[1][..<slash].firstIndex(of: UInt8(ascii: "-"))
        else { return nil }
        let max = Int64.max / 16
        guard let first = ASCII.number(words[1][..<dash], max: max),
            let last = ASCII.number(words[1][(dash + 1)..<slash], max: max), last >= first
        else { return nil }
        let rest = words[1][(slash + 1)...]
        if rest.elementsEqual("*".utf8) { return ContentRange(bounds: first..<(last + 1), total: nil) }
        guard let total = ASCII.number(rest, max: max), last < total else { return nil }
        return ContentRange(bounds: first..<(last + 1), total: total)
    }

    package var text: String {
        "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(total.map { "\($0)" } ?? "*")"
    }
}

/// How a request for a range is answered from what is stored.
///
/// - Source: RFC 9110, section 14.2; RFC 9111, sections 3.3 and 3.4.
package enum RangeRules {
    package enum Outcome: Hashable, Sendable {
        /// The stored answer as it is.
        case whole
        /// The bytes of the stored body, and where they lie in the representation.
        case part(Range<Int64>, ContentRange)
        case unsatisfiable(total: Int64)
        /// The stored answer does not have the bytes.
        case lacking
    }

    package static func outcome(_ request: RequestHead, _ stored: StoredHead) -> Outcome {
        let held = stored.head.status == 206 ? ContentRange.of(stored.head.fields) : nil
        guard request.method == "GET", request.fields.contains("range"), appliesRange(request, stored) else {
            return stored.head.status == 206 ? .lacking : .whole
        }
        guard let wanted = RequestedRange.of(request.fields) else { return .lacking }
        if stored.head.status == 206 {
            guard let held, let total = held.total, let bounds = wanted.bounds(in: total),
                held.bounds.lowerBound <= bounds.lowerBound, bounds.upperBound <= held.bounds.upperBound
            else { return .lacking }
            let start = bounds.lowerBound - held.bounds.lowerBound
            return .part(start..<(start + Int64(bounds.count)), ContentRange(bounds: bounds, total: total))
        }
        guard stored.head.status == 200 else { return .whole }
        guard let bounds = wanted.bounds(in: stored.byteCount) else { return .unsatisfiable(total: stored.byteCount) }
        return .part(bounds, ContentRange(bounds: bounds, total: stored.byteCount))
    }

    /// Tells whether `If-Range` lets the range count: only a strong validator that is the stored one does.
    ///
    /// - Source: RFC 9110, section 13.1.5.
    private static func appliesRange(_ request: RequestHead, _ stored: StoredHead) -> Bool {
        guard let condition = request.fields.first("if-range") else { return true }
        if condition.bytes.first == UInt8(ascii: "\"") || condition.bytes.starts(with: Array("W/".utf8)) {
            guard let wanted = EntityTag(condition.bytes), let tag = EntityTag.of(stored.head.fields) else {
                return false
            }
            return wanted.matchesStrongly(tag)
        }
        guard let date = HTTPDate.parse(condition), let modified = stored.head.fields.first("last-modified") else {
            return false
        }
        return HTTPDate.parse(modified) == date
    }

    /// Returns where a new part lies in relation to a stored part; nil when the two cannot be combined.
    ///
    /// - Returns: The bounds of both together, and whether they are the whole.
    package static func combined(
        _ stored: StoredHead, with part: ResponseHead
    ) -> (bounds: Range<Int64>, total: Int64)? {
        guard let new = ContentRange.of(part.fields), let total = new.total,
            let oldTag = EntityTag.of(stored.head.fields), let newTag = EntityTag.of(part.fields),
            oldTag.matchesStrongly(newTag)
        else { return nil }
        let held: Range<Int64>
        if stored.head.status == 200 {
            guard stored.byteCount == total else { return nil }
            held = 0..<total
        } else {
            guard let range = ContentRange.of(stored.head.fields), range.total == total else { return nil }
            held = range.bounds
        }
        guard held.lowerBound <= new.bounds.upperBound, new.bounds.lowerBound <= held.upperBound else { return nil }
        return (
            min(held.lowerBound, new.bounds.lowerBound)..<max(held.upperBound, new.bounds.upperBound), total
        )
    }
}

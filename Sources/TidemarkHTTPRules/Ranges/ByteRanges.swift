import TidemarkModel

/// One of the byte ranges of a request. Other units than bytes are left to the server.
///
/// - Source: RFC 9110, section 14.1.2.
package enum RequestedRange: Hashable, Sendable {
    /// The bytes from an offset on, up to and including another one if it is given.
    case from(Int64, through: Int64?)
    /// This many bytes at the end.
    case last(Int64)

    /// The largest number of ranges that the cache serves. A request with more is sent to the server.
    package static let countMax = 100

    /// Parses the header `Range`.
    ///
    /// - Returns: nil if it is absent, or is not a list of at most ``countMax`` byte ranges.
    package static func list(_ fields: HeaderFields) -> [RequestedRange]? {
        let values = fields.values("range")
        guard values.count == 1 else { return nil }
        let bytes = values[0].bytes
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
            ASCII.equals(Array(ASCII.trimmed(bytes[..<equals])), lower: "bytes".utf8)
        else { return nil }
        let members = ASCII.members(Array(bytes[(equals + 1)...]))
        guard !members.isEmpty, members.count <= countMax else { return nil }
        var ranges: [RequestedRange] = []
        for member in members {
            guard let range = RequestedRange(member) else { return nil }
            ranges.append(range)
        }
        return ranges
    }

    private init?(_ member: ArraySlice<UInt8>) {
        guard let dash = member.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let max = Int64.max / 16
        let first = member[..<dash]
        let last = member[(dash + 1)...]
        if first.isEmpty {
            guard let count = ASCII.number(last, max: max) else { return nil }
            self = .last(count)
            return
        }
        guard let start = ASCII.number(first, max: max) else { return nil }
        if last.isEmpty {
            self = .from(start, through: nil)
            return
        }
        guard let end = ASCII.number(last, max: max), end >= start else { return nil }
        self = .from(start, through: end)
    }

    /// Returns the bytes that ranges request, in the order of their first mention. Ranges that overlap or touch are
    /// merged, and those past the end dropped.
    ///
    /// - Complexity: O(n²) for at most ``countMax`` ranges.
    /// - Source: RFC 9110, sections 14.1.2 and 15.3.7.2.
    package static func bounds(_ ranges: [RequestedRange], in total: Int64) -> [Range<Int64>] {
        var all: [Range<Int64>] = []
        for range in ranges {
            guard var bounds = range.bounds(in: total) else { continue }
            var place = all.count
            while let other = all.firstIndex(where: {
                $0.lowerBound <= bounds.upperBound && bounds.lowerBound <= $0.upperBound
            }) {
                let old = all.remove(at: other)
                bounds = min(old.lowerBound, bounds.lowerBound)..<max(old.upperBound, bounds.upperBound)
                place = min(place, other)
            }
            all.insert(bounds, at: min(place, all.count))
        }
        return all
    }

    /// Returns the bytes of the range in a representation of `total` bytes; nil if it has none of them.
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

/// The place of a partial body in its representation, from `Content-Range`.
///
/// - Source: RFC 9110, section 14.4.
package struct ContentRange: Hashable, Sendable {
    /// The bytes of the part.
    package var bounds: Range<Int64>
    /// The length of the representation; nil if the server does not know it.
    package var total: Int64?

    /// Creates a place.
    package init(bounds: Range<Int64>, total: Int64?) {
        self.bounds = bounds
        self.total = total
    }

    /// Parses the header `Content-Range`.
    ///
    /// - Returns: nil if it is absent, invalid, or names no bytes.
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

    /// The value of the header.
    package var text: String {
        "bytes \(bounds.lowerBound)-\(bounds.upperBound - 1)/\(total.map { "\($0)" } ?? "*")"
    }
}

/// Decides how range requests are served from stored responses.
///
/// - Source: RFC 9110, section 14.2; RFC 9111, sections 3.3 and 3.4.
package enum RangeRules {
    /// How a stored response answers a request for ranges.
    package enum Outcome: Hashable, Sendable {
        /// The stored response unchanged.
        case whole
        /// A range of the stored body, and its place in the representation.
        case part(Range<Int64>, ContentRange)
        /// Several ranges of a complete stored body.
        case parts([ContentRange])
        /// No byte of the representation is in the ranges.
        case unsatisfiable(total: Int64)
        /// The stored response lacks the requested bytes.
        case lacking

        /// True if several ranges are served.
        package var hasParts: Bool {
            if case .parts = self { return true }
            return false
        }
    }

    /// Decides what a stored response can serve for a request.
    package static func outcome(_ request: RequestHead, _ stored: StoredHead) -> Outcome {
        let held = stored.head.status == 206 ? ContentRange.of(stored.head.fields) : nil
        guard request.method == "GET", request.fields.contains("range"), appliesRange(request, stored) else {
            return stored.head.status == 206 ? .lacking : .whole
        }
        guard let ranges = RequestedRange.list(request.fields) else { return .lacking }
        if stored.head.status == 206 {
            guard let held, let total = held.total else { return .lacking }
            // Several ranges of a partial response are left to the server.
            let wanted = RequestedRange.bounds(ranges, in: total)
            guard wanted.count == 1, held.bounds.lowerBound <= wanted[0].lowerBound,
                wanted[0].upperBound <= held.bounds.upperBound
            else { return .lacking }
            let start = wanted[0].lowerBound - held.bounds.lowerBound
            return .part(start..<(start + Int64(wanted[0].count)), ContentRange(bounds: wanted[0], total: total))
        }
        guard stored.head.status == 200 else { return .whole }
        let total = stored.byteCount
        let wanted = RequestedRange.bounds(ranges, in: total)
        if wanted.isEmpty { return .unsatisfiable(total: total) }
        if wanted.count == 1 { return .part(wanted[0], ContentRange(bounds: wanted[0], total: total)) }
        return .parts(wanted.map { ContentRange(bounds: $0, total: total) })
    }

    /// True if `If-Range` allows serving the range: only a strong validator equal to the stored one does.
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

    /// Computes the combination of a stored response with a new part; nil if they cannot be combined.
    ///
    /// - Returns: The bytes of both together, and the length of the representation.
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

/// The codes between two bounds. Codes compare as bytes.
package struct CodeRange: Hashable, Sendable {
    /// The first code in the range.
    package var lower: [UInt8]
    /// The first code after the range.
    package var upper: [UInt8]

    /// An upper bound of every code.
    package static let end: [UInt8] = [0xFF]

    /// Creates a range from its first code and the first code after it.
    package init(lower: [UInt8], upper: [UInt8]) {
        self.lower = lower
        self.upper = upper
    }

    /// Creates the range that contains only one code.
    package init(_ code: [UInt8]) {
        self.init(lower: code, upper: code + [0])
    }

    /// The range of every code.
    package static let all = CodeRange(lower: [], upper: end)

    /// True if the range contains exactly one code.
    package var isPoint: Bool { upper.count == lower.count + 1 && upper.last == 0 && upper.starts(with: lower) }

    /// True if the range contains no code.
    package var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }

    /// Merges ranges into a list that ascends and has no overlaps.
    ///
    /// Adjacent ranges become one, except for two single codes. Empty ranges are dropped.
    ///
    /// - Complexity: O(n log n).
    package static func union(_ ranges: [CodeRange]) -> [CodeRange] {
        var result: [CodeRange] = []
        for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lower.lexicographicallyPrecedes($1.lower) }) {
            if let last = result.last, !last.upper.lexicographicallyPrecedes(range.lower),
                !(last.isPoint && range.isPoint)
            {
                if last.upper.lexicographicallyPrecedes(range.upper) { result[result.count - 1].upper = range.upper }
            } else if result.last != range {
                result.append(range)
            }
        }
        return result
    }

    /// Returns the codes that two lists of ranges have in common.
    ///
    /// - Parameters:
    ///   - left: Ranges as ``union(_:)`` returns them.
    ///   - right: Ranges as ``union(_:)`` returns them.
    /// - Complexity: O(n + m).
    package static func intersection(_ left: [CodeRange], _ right: [CodeRange]) -> [CodeRange] {
        var result: [CodeRange] = []
        var (at, other) = (0, 0)
        while at < left.count, other < right.count {
            let (one, two) = (left[at], right[other])
            let range = CodeRange(
                lower: one.lower.lexicographicallyPrecedes(two.lower) ? two.lower : one.lower,
                upper: one.upper.lexicographicallyPrecedes(two.upper) ? one.upper : two.upper)
            if !range.isEmpty { result.append(range) }
            if one.upper.lexicographicallyPrecedes(two.upper) { at += 1 } else { other += 1 }
        }
        return result
    }

    /// Returns the one range from the start of the first to the end of the last; an empty array for no ranges.
    package static func hull(_ ranges: [CodeRange]) -> [CodeRange] {
        guard let first = ranges.first, let last = ranges.last else { return [] }
        return [CodeRange(lower: first.lower, upper: last.upper)]
    }
}

/// The codes between two bounds, compared as bytes.
package struct CodeRange: Hashable, Sendable {
    /// The first code in the range.
    package var lower: [UInt8]
    /// The first code after the range.
    package var upper: [UInt8]

    /// An upper bound of every code.
    package static let end: [UInt8] = [0xFF]

    package init(lower: [UInt8], upper: [UInt8]) {
        self.lower = lower
        self.upper = upper
    }

    /// Creates the range of one code.
    package init(_ code: [UInt8]) {
        self.init(lower: code, upper: code + [0])
    }

    /// The range of every code.
    package static let all = CodeRange(lower: [], upper: end)

    /// Whether the range contains only one code.
    package var isPoint: Bool { upper.count == lower.count + 1 && upper.last == 0 && upper.starts(with: lower) }

    package var isEmpty: Bool { !lower.lexicographicallyPrecedes(upper) }

    /// Returns ranges in ascending order that neither overlap nor touch.
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

    /// Returns the intersection of two lists of ranges.
    ///
    /// - Parameters: Ranges as ``union(_:)`` returns them.
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

    /// Returns one range around all of them.
    package static func hull(_ ranges: [CodeRange]) -> [CodeRange] {
        guard let first = ranges.first, let last = ranges.last else { return [] }
        return [CodeRange(lower: first.lower, upper: last.upper)]
    }
}

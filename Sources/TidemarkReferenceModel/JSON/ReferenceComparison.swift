/// Compares JSON values as the protocol defines it.
///
/// - Source: Protocol/queries.md, "Comparison".
package enum ReferenceComparison {
    /// Compares two values for ordering.
    ///
    /// - Returns: A negative number if the left value precedes, 0 if neither does.
    package static func order(_ left: ReferenceJSON?, _ right: ReferenceJSON?) -> Int {
        let ranks = (rank(left), rank(right))
        if ranks.0 != ranks.1 { return ranks.0 < ranks.1 ? -1 : 1 }
        switch (left, right) {
        case (.number(let left)?, .number(let right)?):
            return ReferenceDecimal(left).compare(ReferenceDecimal(right))
        case (.string(let left)?, .string(let right)?):
            if left.unescaped == right.unescaped { return 0 }
            return left.unescaped.lexicographicallyPrecedes(right.unescaped) ? -1 : 1
        default: return 0
        }
    }

    /// Returns true if two values are deeply equal.
    package static func areEqual(_ left: ReferenceJSON, _ right: ReferenceJSON) -> Bool {
        switch (left, right) {
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
        case (.object(let left), .object(let right)):
            let left = Dictionary(left.map { ($0.key.unescaped, $0.value) }) { _, last in last }
            let right = Dictionary(right.map { ($0.key.unescaped, $0.value) }) { _, last in last }
            return left.count == right.count
                && left.allSatisfy { name, value in right[name].map { areEqual(value, $0) } ?? false }
        case (.array, _), (.object, _), (_, .array), (_, .object):
            return false
        default:
            return order(left, right) == 0
        }
    }

    /// Returns true if order predicates such as `lt` can hold for two values: both null, both boolean, both numbers or
    /// both strings.
    package static func areOneKind(_ left: ReferenceJSON, _ right: ReferenceJSON) -> Bool {
        switch (left, right) {
        case (.null, .null), (.bool, .bool), (.number, .number), (.string, .string): true
        default: false
        }
    }

    private static func rank(_ value: ReferenceJSON?) -> Int {
        switch value {
        case nil: 0
        case .null?: 1
        case .bool(false)?: 2
        case .bool(true)?: 3
        case .number?: 4
        case .string?: 5
        case .array?, .object?: 6
        }
    }
}

import TidemarkReferenceModel

/// What SQLite has to know of the numbers among the entities.
struct NumberRange {
    /// True if SQLite's sums are exact: all numbers are small and have at most four digits behind the point.
    private(set) var isExact = true
    /// True if there is a negative number.
    private(set) var isNegative = false

    mutating func add(_ value: ReferenceJSON) {
        for element in value.elements ?? [] { add(element) }
        for member in value.members ?? [] { add(member.value) }
        guard case .number(let digits) = value, let number = Double(String(decoding: digits, as: UTF8.self)) else {
            return
        }
        if number < 0 { isNegative = true }
        let scaled = number * 10_000
        if scaled.magnitude > 1e12 || scaled != scaled.rounded() { isExact = false }
    }
}

/// A number as its digits and the position of its point, for exponents of any size.
package struct ReferenceDecimal {
    /// The largest exponent; a larger one in the text counts as this.
    private static let exponentMax = 2_147_483_647

    private let isNegative: Bool
    /// The digits without zeros at either end; empty for 0.
    private let digits: String
    /// The number of digits before the point; if negative, the number of zeros between the point and the digits.
    private let place: Int

    /// Reads a number.
    ///
    /// - Parameter text: A number in the grammar of JSON.
    package init(_ text: [UInt8]) {
        let halves = String(decoding: text, as: UTF8.self).lowercased().split(separator: "e")
        var exponent = 0
        if halves.count > 1 {
            let written = Int(halves[1]) ?? (halves[1].hasPrefix("-") ? -Self.exponentMax : Self.exponentMax)
            exponent = max(-Self.exponentMax, min(Self.exponentMax, written))
        }
        let mantissa = halves[0].drop { $0 == "-" }.split(separator: ".").map(String.init)
        let all = mantissa.joined()
        var digits = String(all.drop { $0 == "0" })
        place = digits.isEmpty ? 0 : mantissa[0].count - (all.count - digits.count) + exponent
        while digits.last == "0" { digits.removeLast() }
        self.digits = digits
        isNegative = text.first == UInt8(ascii: "-") && !digits.isEmpty
    }

    /// Compares two numbers.
    ///
    /// - Returns: A negative number if this one is less than the other, 0 if they are equal.
    package func compare(_ other: ReferenceDecimal) -> Int {
        if isNegative != other.isNegative { return isNegative ? -1 : 1 }
        return isNegative ? -magnitude(other) : magnitude(other)
    }

    private func magnitude(_ other: ReferenceDecimal) -> Int {
        if digits.isEmpty || other.digits.isEmpty { return other.digits.isEmpty ? (digits.isEmpty ? 0 : 1) : -1 }
        if place != other.place { return place < other.place ? -1 : 1 }
        if digits == other.digits { return 0 }
        return digits < other.digits ? -1 : 1
    }
}

/// A number written out in full, without an exponent: digits before and behind the point.
package struct ReferenceDecimal {
    /// Exponents beyond this are not written out.
    private static let exponentMax = 2_000

    private let isNegative: Bool
    /// Without leading zeros.
    private let whole: String
    /// Without trailing zeros.
    private let fraction: String

    /// - Parameter text: By the grammar of JSON, its exponent not beyond ±2,000.
    package init(_ text: [UInt8]) {
        let halves = String(decoding: text, as: UTF8.self).lowercased().split(separator: "e")
        let exponent = halves.count > 1 ? Int(halves[1]) ?? Int.max : 0
        precondition(
            (-Self.exponentMax...Self.exponentMax).contains(exponent), "\(text) is too long to be written out")
        let mantissa = halves[0].drop { $0 == "-" }.split(separator: ".").map(String.init)
        var whole = mantissa[0]
        var fraction = mantissa.count > 1 ? mantissa[1] : ""
        if exponent > 0 {
            fraction += String(repeating: "0", count: exponent)
            whole += fraction.prefix(exponent)
            fraction = String(fraction.dropFirst(exponent))
        } else if exponent < 0 {
            whole = String(repeating: "0", count: -exponent) + whole
            fraction = whole.suffix(-exponent) + fraction
            whole = String(whole.dropLast(-exponent))
        }
        self.whole = String(whole.drop { $0 == "0" })
        while fraction.last == "0" { fraction.removeLast() }
        self.fraction = fraction
        isNegative = text.first == UInt8(ascii: "-") && !(self.whole + fraction).isEmpty
    }

    /// Negative when this is less than the other, 0 when they are equal.
    package func compare(_ other: ReferenceDecimal) -> Int {
        if isNegative != other.isNegative { return isNegative ? -1 : 1 }
        return isNegative ? -magnitude(other) : magnitude(other)
    }

    private func magnitude(_ other: ReferenceDecimal) -> Int {
        if whole.count != other.whole.count { return whole.count < other.whole.count ? -1 : 1 }
        if whole != other.whole { return whole < other.whole ? -1 : 1 }
        if fraction == other.fraction { return 0 }
        return fraction < other.fraction ? -1 : 1
    }
}

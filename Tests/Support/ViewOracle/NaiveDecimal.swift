/// Decimal arithmetic as at school: digits in arrays, the least significant first.
package struct NaiveDecimal: Equatable {
    /// The value is the digits, divided by ten to the power of `scale`; without zeros at the more significant end.
    private var digits: [Int]
    private var scale: Int
    private var isNegative: Bool

    private init(_ digits: [Int], _ scale: Int, _ isNegative: Bool) {
        self.digits = Array(digits.reversed().drop { $0 == 0 }.reversed())
        self.scale = scale
        self.isNegative = isNegative && !self.digits.isEmpty
    }

    /// Reads a number of JSON; nil if it is too long or too large to be summed.
    package init?(_ text: [UInt8]) {
        let halves = String(decoding: text, as: UTF8.self).lowercased().split(separator: "e")
        let mantissa = halves[0].drop { $0 == "-" }.split(separator: ".")
        let fraction = mantissa.count > 1 ? mantissa[1].count : 0
        let exponent = halves.count > 1 ? Int(halves[1]) ?? 1_000_000_000 : 0
        let significant = String(mantissa.joined().drop { $0 == "0" }.reversed().drop { $0 == "0" })
        guard significant.count <= 64 else { return nil }
        guard !significant.isEmpty else {
            self.init([], 0, false)
            return
        }
        let all = mantissa.joined()
        let leading = all.prefix { $0 == "0" }.count
        guard abs(mantissa[0].count - leading - 1 + exponent) <= 6_144 else { return nil }
        self.init(all.compactMap(\.wholeNumberValue).reversed(), fraction - exponent, text.first == UInt8(ascii: "-"))
    }

    /// The digits as if there were more places behind the point.
    private func aligned(_ scale: Int) -> [Int] { [Int](repeating: 0, count: scale - self.scale) + digits }

    package static func sum(_ numbers: [NaiveDecimal]) -> NaiveDecimal {
        numbers.reduce(NaiveDecimal([], 0, false)) { sum, number in
            let scale = max(sum.scale, number.scale)
            let (left, right) = (sum.aligned(scale), number.aligned(scale))
            if sum.isNegative == number.isNegative {
                return NaiveDecimal(added(left, right), scale, sum.isNegative)
            }
            return isLess(left, right)
                ? NaiveDecimal(subtracted(right, left), scale, number.isNegative)
                : NaiveDecimal(subtracted(left, right), scale, sum.isNegative)
        }
    }

    private static func added(_ left: [Int], _ right: [Int]) -> [Int] {
        var carry = 0
        return (0...max(left.count, right.count)).map { index in
            let sum = (index < left.count ? left[index] : 0) + (index < right.count ? right[index] : 0) + carry
            carry = sum / 10
            return sum % 10
        }
    }

    private static func isLess(_ left: [Int], _ right: [Int]) -> Bool {
        let count = max(left.count, right.count)
        func padded(_ digits: [Int]) -> [Int] { ([Int](repeating: 0, count: count - digits.count) + digits.reversed()) }
        return padded(left).lexicographicallyPrecedes(padded(right))
    }

    private static func subtracted(_ left: [Int], _ right: [Int]) -> [Int] {
        var borrow = 0
        return left.indices.map { index in
            var digit = left[index] - (index < right.count ? right[index] : 0) - borrow
            borrow = digit < 0 ? 1 : 0
            if digit < 0 { digit += 10 }
            return digit
        }
    }

    /// Divides to 20 significant digits, half to even.
    package func divided(by count: Int) -> NaiveDecimal {
        // Far more places than are kept: the quotient is exact, or its remainder decides.
        let extra = 60
        var remainder = 0
        var quotient: [Int] = []
        for digit in [Int](digits.reversed()) + [Int](repeating: 0, count: extra) {
            remainder = remainder * 10 + digit
            quotient.append(remainder / count)
            remainder %= count
        }
        let leading = quotient.prefix { $0 == 0 }.count
        guard leading < quotient.count else { return self }
        let kept = Array(quotient[leading..<min(leading + 20, quotient.count)])
        let rest = Array(quotient.dropFirst(leading + 20))
        let places = scale + extra - rest.count
        let half = [5] + [Int](repeating: 0, count: max(0, rest.count - 1))
        let isTie = rest == half && remainder == 0
        let isUp = !rest.isEmpty && (isTie ? kept[kept.count - 1] % 2 == 1 : !rest.lexicographicallyPrecedes(half))
        let magnitude = isUp ? NaiveDecimal.added(kept.reversed(), [1]) : kept.reversed()
        return NaiveDecimal(magnitude, places, isNegative)
    }

    /// The shortest spelling.
    package var text: String {
        let zeros = digits.prefix { $0 == 0 }.count
        guard zeros < digits.count else { return "0" }
        let significant = digits.dropFirst(zeros).reversed().map(String.init).joined()
        let places = scale - zeros
        let sign = isNegative ? "-" : ""
        var plain: String
        if places <= 0 {
            plain = significant + String(repeating: "0", count: -places)
        } else if places < significant.count {
            plain = "\(significant.dropLast(places)).\(significant.suffix(places))"
        } else {
            plain = "0." + String(repeating: "0", count: places - significant.count) + significant
        }
        if plain.count(where: { $0 != "." }) <= 40 { return sign + plain }
        let exponent = significant.count - 1 - places
        plain = String(significant.prefix(1)) + (significant.count > 1 ? "." + significant.dropFirst() : "")
        return "\(sign)\(plain)e\(exponent)"
    }
}

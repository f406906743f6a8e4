import TidemarkStore

/// A decimal number: ±0.d₁d₂…dₙ · 10ᵉ, where d₁ and dₙ are not 0; no digits are 0.
struct ShownDecimal: Hashable, Sendable {
    /// The most digits that are written before an exponent is used instead.
    static let plainDigitCountMax = 40
    /// The most significant digits of a number that is summed.
    static let summandDigitCountMax = 64
    /// The largest magnitude of the scientific exponent of a number that is summed.
    static let summandExponentMax = 6_144

    var isNegative = false
    /// The digits, from 0 to 9, without zeros at either end.
    var digits: [UInt8] = []
    var exponent = 0

    /// Creates a number from digits with zeros at either end.
    ///
    /// - Parameter exponent: The power of ten before whose first digit the point is.
    init(isNegative: Bool, digits: some Collection<UInt8>, exponent: Int) {
        let leading = digits.prefix { $0 == 0 }.count
        var rest = Array(digits.dropFirst(leading))
        while rest.last == 0 { rest.removeLast() }
        guard !rest.isEmpty else { return }
        self.isNegative = isNegative
        self.digits = rest
        self.exponent = exponent - leading
    }

    /// Creates a number from its exact code; nil for the code of another kind of value.
    init?(code: [UInt8]) {
        guard let kind = code.first else { return nil }
        switch kind {
        case ValueCode.zero: return
        case ValueCode.positive, ValueCode.negative:
            isNegative = kind == ValueCode.negative
            let positive = isNegative ? code.dropFirst().map { ~$0 } : Array(code.dropFirst())
            guard let parts = DecimalCode.digits(positive[...]) else { return nil }
            digits = parts.digits.map { $0 - UInt8(ascii: "0") }
            exponent = parts.exponent
        default: return nil
        }
    }

    /// True if the number is exact enough for `sum` and `avg`.
    var isSummand: Bool {
        digits.count <= ShownDecimal.summandDigitCountMax
            && (digits.isEmpty || abs(exponent - 1) <= ShownDecimal.summandExponentMax)
    }

    /// The shortest spelling: no exponent as long as the digits are few enough.
    ///
    /// - Source: Protocol/views.md, groups.
    var text: [UInt8] {
        guard !digits.isEmpty else { return [UInt8(ascii: "0")] }
        var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        let written = digits.map { $0 + UInt8(ascii: "0") }
        let zero = UInt8(ascii: "0")
        let plainCount = exponent > 0 ? max(exponent, digits.count) : 1 - exponent + digits.count
        if plainCount > ShownDecimal.plainDigitCountMax {
            text.append(written[0])
            if written.count > 1 { text += [UInt8(ascii: ".")] + written[1...] }
            return text + Array("e\(exponent - 1)".utf8)
        }
        if exponent <= 0 {
            return text + Array("0.".utf8) + [UInt8](repeating: zero, count: -exponent) + written
        }
        guard exponent < digits.count else {
            return text + written + [UInt8](repeating: zero, count: exponent - digits.count)
        }
        return text + written[..<exponent] + [UInt8(ascii: ".")] + written[exponent...]
    }

    /// Divides by a count, to 20 significant digits, half to even.
    func divided(by count: Int) -> ShownDecimal {
        var quotient: [UInt8] = []
        var remainder = 0
        var index = 0
        var first: Int?
        while quotient.count < ShownDecimal.quotientDigitCountMax {
            if index >= digits.count, remainder == 0 { break }
            let digit = step(&remainder, index, count)
            if digit != 0 || first != nil {
                if first == nil { first = index }
                quotient.append(digit)
            }
            index += 1
        }
        guard let first else { return self }
        var exponent = exponent - first
        if index < digits.count || remainder != 0 {
            let next = step(&remainder, index, count)
            let isExact = remainder == 0 && digits.dropFirst(index + 1).isEmpty
            let isOdd = quotient[quotient.count - 1] % 2 == 1
            if next > 5 || next == 5 && (!isExact || isOdd), ShownDecimal.increment(&quotient) { exponent += 1 }
        }
        return ShownDecimal(isNegative: isNegative, digits: quotient, exponent: exponent)
    }

    private static let quotientDigitCountMax = 20

    private func step(_ remainder: inout Int, _ index: Int, _ count: Int) -> UInt8 {
        let value = remainder * 10 + (index < digits.count ? Int(digits[index]) : 0)
        remainder = value % count
        return UInt8(value / count)
    }

    /// Adds one to the last digit.
    ///
    /// - Returns: True if the first digit became 10, so that the number has one digit more.
    private static func increment(_ digits: inout [UInt8]) -> Bool {
        for index in digits.indices.reversed() {
            if digits[index] < 9 {
                digits[index] += 1
                return false
            }
            digits[index] = 0
        }
        digits.insert(1, at: 0)
        return true
    }
}

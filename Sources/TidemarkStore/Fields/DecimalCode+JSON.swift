extension DecimalCode {
    /// The most zeros that are written out; a number with more is written with an exponent.
    private static let zeroCountMax = 20

    /// Returns the JSON spelling of a number other than 0, without its sign.
    ///
    /// - Parameter code: The code after its kind byte, in the form of a positive number.
    /// - Returns: The shortest digits, with an exponent in place of more than 20 zeros; nil for bytes that are not a
    ///   code.
    static func json(_ code: ArraySlice<UInt8>) -> [UInt8]? {
        guard let (digits, exponent) = digits(code) else { return nil }
        if digits.count <= exponent, exponent - digits.count <= zeroCountMax {
            return digits + Array(repeating: UInt8(ascii: "0"), count: exponent - digits.count)
        }
        if 0 < exponent, exponent < digits.count {
            return digits[..<exponent] + [UInt8(ascii: ".")] + digits[exponent...]
        }
        if -zeroCountMax...0 ~= exponent {
            return Array("0.".utf8) + Array(repeating: UInt8(ascii: "0"), count: -exponent) + digits
        }
        let point: [UInt8] = digits.count > 1 ? [UInt8(ascii: ".")] : []
        return [digits[0]] + point + digits[1...] + Array("e\(exponent - 1)".utf8)
    }

    /// Returns the digits of a number other than 0 in ASCII, and its exponent: the number is 0.d₁d₂…dₙ · 10ᵉ. The first
    /// and the last digit are not 0.
    ///
    /// - Parameter code: The code after its kind byte, in the form of a positive number: every byte of a negative
    ///   number is inverted.
    /// - Returns: nil for bytes that are not a code.
    package static func digits(_ code: ArraySlice<UInt8>) -> (digits: [UInt8], exponent: Int)? {
        var code = code
        guard let first = code.popFirst(), let exponent = exponent(first, &code), code.popLast() == 0 else {
            return nil
        }
        var digits: [UInt8] = []
        for pair in code {
            guard 1...100 ~= pair else { return nil }
            digits += [UInt8(ascii: "0") + (pair - 1) / 10, UInt8(ascii: "0") + (pair - 1) % 10]
        }
        if digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return digits.isEmpty ? nil : (digits, exponent)
    }

    private static func exponent(_ first: UInt8, _ code: inout ArraySlice<UInt8>) -> Int? {
        if first != 1, first != 255 { return Int(first) - 110 }
        guard code.count >= 8 else { return nil }
        var biased: UInt64 = 0
        for _ in 0..<8 { biased = biased << 8 | UInt64(code.removeFirst()) }
        return Int(Int64(bitPattern: biased ^ 1 << 63))
    }
}

/// Encodes numbers so that the byte order of codes is the order of values, exactly and for any number of digits.
///
/// A number other than 0 is ±0.d₁d₂…dₙ · 10ᵉ with d₁ and dₙ not 0, so `1.10`, `1.1` and `11e-1` are the same number.
/// Its code is e, then the digits two to a byte, then 0. For a negative number every byte is inverted.
package enum DecimalCode {
    /// The largest magnitude of a written exponent; a larger one counts as this one.
    ///
    /// No measured number is as large, and without a bound two exponents could not be added.
    static let exponentMax = Int(Int32.max)

    /// Appends the code of a number.
    ///
    /// - Parameters:
    ///   - text: A number in the grammar of JSON.
    ///   - code: Receives the code, which begins with one of the three kind bytes of numbers.
    /// - Complexity: O(text.count).
    static func append(_ text: UnsafeRawBufferPointer, to code: inout [UInt8]) {
        let parts = Parts(text)
        guard let first = parts.first else {
            code.append(ValueCode.zero)
            return
        }
        code.append(parts.isNegative ? ValueCode.negative : ValueCode.positive)
        let start = code.count
        appendExponent(parts.exponent, to: &code)
        appendDigits(UnsafeRawBufferPointer(rebasing: text[first...parts.last]), to: &code)
        if parts.isNegative { for at in start..<code.count { code[at] = ~code[at] } }
    }

    private static func appendExponent(_ exponent: Int, to code: inout [UInt8]) {
        if -100...100 ~= exponent {
            code.append(UInt8(exponent + 110))
            return
        }
        code.append(exponent < 0 ? 1 : 255)
        let biased = UInt64(bitPattern: Int64(exponent)) ^ 1 << 63
        for shift in stride(from: 56, through: 0, by: -8) { code.append(UInt8(truncatingIfNeeded: biased >> shift)) }
    }

    /// Appends the digits, two to a byte, and the end mark.
    ///
    /// - Parameter digits: The text from the first digit that is not 0 to the last one, with the point if it is between
    ///   them.
    private static func appendDigits(_ digits: UnsafeRawBufferPointer, to code: inout [UInt8]) {
        var tens: UInt8?
        for byte in digits where byte != UInt8(ascii: ".") {
            let digit = byte - UInt8(ascii: "0")
            if let high = tens {
                // Each byte is one more than its pair of digits, so that the end mark sorts before every pair.
                code.append(high * 10 + digit + 1)
                tens = nil
            } else {
                tens = digit
            }
        }
        if let high = tens { code.append(high * 10 + 1) }
        code.append(0)
    }
}

extension DecimalCode {
    /// The parts of a number's text.
    private struct Parts {
        var isNegative = false
        /// The index of the first digit that is not 0; nil in a zero.
        var first: Int?
        /// The index of the last digit that is not 0.
        var last = 0
        /// The exponent of ten, with the point before the first digit that is not 0.
        var exponent = 0

        init(_ text: UnsafeRawBufferPointer) {
            var digitCount = 0
            var wholeCount: Int?
            var zeroCount = 0
            var written = 0
            for (at, byte) in text.enumerated() {
                switch byte {
                case UInt8(ascii: "-"):
                    isNegative = true
                case UInt8(ascii: "."):
                    wholeCount = digitCount
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    digitCount += 1
                    if byte != UInt8(ascii: "0") {
                        if first == nil {
                            first = at
                            zeroCount = digitCount - 1
                        }
                        last = at
                    }
                default:
                    written = Parts.exponent(UnsafeRawBufferPointer(rebasing: text[(at + 1)...]))
                    exponent = (wholeCount ?? digitCount) - zeroCount + written
                    return
                }
            }
            exponent = (wholeCount ?? digitCount) - zeroCount
        }

        private static func exponent(_ text: UnsafeRawBufferPointer) -> Int {
            var magnitude = 0
            for byte in text where byte >= UInt8(ascii: "0") {
                magnitude = min(magnitude * 10 + Int(byte - UInt8(ascii: "0")), exponentMax)
            }
            return text.first == UInt8(ascii: "-") ? -magnitude : magnitude
        }
    }
}

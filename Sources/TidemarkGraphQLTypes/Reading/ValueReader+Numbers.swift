extension ValueReader {
    /// Reads an integer. `1.0` and `1e2` are integers, too.
    ///
    /// - Throws: ``SelectionError`` `wrongKind` for another value, or one that does not fit into `Int`.
    @inlinable
    public mutating func integer() throws(SelectionError) -> Int {
        let start = offset
        let isNegative = consume(UInt8(ascii: "-"))
        var value = 0
        var digitCount = 0
        while 0x30...0x39 ~= current, digitCount < 18 {
            value = value * 10 + Int(current - 0x30)
            digitCount += 1
            offset += 1
        }
        switch current {
        case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            offset = start
            return try wideInteger()
        default: break
        }
        guard digitCount > 0 else {
            offset = start
            throw wrongKind("Int")
        }
        return isNegative ? -value : value
    }

    @usableFromInline
    mutating func wideInteger() throws(SelectionError) -> Int {
        let start = offset
        let text = try numberText()
        if let value = Int(text) { return value }
        if let value = Double(text).flatMap(Int.init(exactly:)) { return value }
        offset = start
        throw wrongKind("Int")
    }

    /// Reads a number.
    ///
    /// - Throws: ``SelectionError`` `wrongKind` for another value, `malformed` for an invalid number.
    @inlinable
    public mutating func double() throws(SelectionError) -> Double {
        let start = offset
        let isNegative = consume(UInt8(ascii: "-"))
        var mantissa: UInt64 = 0
        var digitCount = 0
        var fractionCount = 0
        var isFraction = false
        while digitCount < 16 {
            if 0x30...0x39 ~= current {
                mantissa = mantissa * 10 + UInt64(current - 0x30)
                digitCount += 1
                if isFraction { fractionCount += 1 }
            } else if current == UInt8(ascii: "."), !isFraction, digitCount > 0 {
                isFraction = true
            } else {
                break
            }
            offset += 1
        }
        let isRest = 0x30...0x39 ~= current || current | 0x20 == UInt8(ascii: "e") || current == UInt8(ascii: ".")
        // Both operands are exact up to 2^53 and 10^22, so their quotient is the nearest number.
        guard !isRest, digitCount > 0, mantissa < 1 << 53, !isFraction || fractionCount > 0 else {
            offset = start
            return try wideDouble()
        }
        let value = Double(mantissa) / ValueReader.power(fractionCount)
        return isNegative ? -value : value
    }

    @inlinable
    static func power(_ exponent: Int) -> Double {
        var value = 1.0
        for _ in 0..<exponent { value *= 10 }
        return value
    }

    @usableFromInline
    mutating func wideDouble() throws(SelectionError) -> Double {
        let start = offset
        guard current == UInt8(ascii: "-") || 0x30...0x39 ~= current else { throw wrongKind("Double") }
        skipNumber()
        guard let value = Double(String(decoding: bytes[start..<offset], as: UTF8.self)) else {
            offset = start
            throw malformed("a number")
        }
        return value
    }

    /// Skips the characters that a number can have.
    @usableFromInline
    mutating func skipNumber() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"),
                UInt8(ascii: "E"):
                offset += 1
            default: return
            }
        }
    }
}

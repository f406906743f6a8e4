extension JSONOutline {
    /// Reads a number with an integral value, in any spelling: `100`, `1e2` and `100.0` are the same number.
    ///
    /// - Throws: `.unreadable` when the number has a fraction or does not fit into the type.
    @inline(__always)
    func integer<Integer: FixedWidthInteger>(
        _ index: Int, as type: Integer.Type
    ) throws(ValueDecodingError) -> Integer {
        let entry = self[index]
        guard entry.kind == .number else { throw entry.kind == .null ? .null(type) : .mismatch(type) }
        let value = bytes.withUnsafeBytes { bytes -> Integer? in
            let text = UnsafeRawBufferPointer(rebasing: bytes[range(entry)])
            // A text of up to 19 bytes has 19 digits, or a sign and 18. Its value always fits into an Int64 or a
            // UInt64.
            if entry.isInteger, text.count < 20, let short = JSONOutline.short(text) {
                return short.isNegative
                    ? Integer(exactly: 0 - Int64(short.magnitude)) : Integer(exactly: short.magnitude)
            }
            return JSONOutline.exact(text, as: type)
        }
        guard let value else { throw .unreadable }
        return value
    }

    private static func short(_ text: UnsafeRawBufferPointer) -> (isNegative: Bool, magnitude: UInt64)? {
        let isNegative = text.first == UInt8(ascii: "-")
        var magnitude: UInt64 = 0
        for byte in text.dropFirst(isNegative ? 1 : 0) { magnitude = magnitude &* 10 &+ UInt64(byte & 15) }
        return (isNegative, magnitude)
    }

    /// Computes the value digit by digit and applies the exponent, so that nothing is rounded.
    private static func exact<Integer: FixedWidthInteger>(
        _ text: UnsafeRawBufferPointer, as type: Integer.Type
    ) -> Integer? {
        let parts = JSONNumberParts(text)
        var digits = parts.digits[...]
        var exponent = parts.exponent
        while exponent < 0, digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { return 0 }
        // No integer has more decimal digits than bits.
        guard exponent >= 0, digits.count + exponent <= Integer.bitWidth else { return nil }
        var value: Integer = 0
        for digit in digits + Array(repeating: 0, count: exponent) {
            let (tenfold, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let digit = Integer(digit)
            let (next, isStillTooLarge) =
                parts.isNegative
                ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
            if isTooLarge || isStillTooLarge { return nil }
            value = next
        }
        return value
    }

    /// Reads the nearest `Double`.
    ///
    /// - Throws: `.unreadable` when the number is larger than every `Double`, or would be rounded to zero without being
    ///   zero.
    func double(_ index: Int) throws(ValueDecodingError) -> Double {
        let entry = self[index]
        if entry.kind == .number,
            let value = bytes.withUnsafeBytes({
                JSONOutline.simpleDouble(UnsafeRawBufferPointer(rebasing: $0[range(entry)]))
            })
        {
            return value
        }
        let text = try number(index, for: Double.self)
        guard let value = Double(text), value.isFinite, value != 0 || JSONOutline.isZero(text) else {
            throw .unreadable
        }
        return value
    }

    /// Reads the nearest `Float`, rounded once.
    func float(_ index: Int) throws(ValueDecodingError) -> Float {
        let text = try number(index, for: Float.self)
        guard let value = Float(text), value.isFinite, value != 0 || JSONOutline.isZero(text) else { throw .unreadable }
        return value
    }

    /// Reads the text of a number as it is written.
    ///
    /// - Parameter type: The type to name in the error when the value is null or not a number.
    func number(_ index: Int, for type: any Any.Type) throws(ValueDecodingError) -> String {
        let entry = self[index]
        guard entry.kind == .number else { throw entry.kind == .null ? .null(type) : .mismatch(type) }
        return String(decoding: bytes[range(entry)], as: UTF8.self)
    }

    private static func isZero(_ text: String) -> Bool {
        for byte in text.utf8 {
            if byte | 0x20 == UInt8(ascii: "e") { return true }
            if UInt8(ascii: "1")...UInt8(ascii: "9") ~= byte { return false }
        }
        return true
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Reads a number without an exponent whose digits a `Double` holds exactly. The result is one division of two
    /// exact values. A division rounds once, so the result is the nearest `Double`.
    ///
    /// - Returns: nil for any other number.
    /// - Source: Clinger, How to read floating point numbers accurately, 1990.
    private static func simpleDouble(_ text: UnsafeRawBufferPointer) -> Double? {
        guard text.count <= 18 else { return nil }
        var magnitude: UInt64 = 0
        var fractionCount = 0
        var isFraction = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): continue
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                magnitude = magnitude &* 10 &+ UInt64(byte & 15)
                if isFraction { fractionCount += 1 }
            default: return nil
            }
        }
        guard magnitude <= 1 << 53 else { return nil }
        let value = Double(magnitude) / powers[fractionCount]
        return text.first == UInt8(ascii: "-") ? -value : value
    }
}

/// The parts of a number: `digits · 10^exponent`.
private struct JSONNumberParts {
    private(set) var isNegative = false
    /// The digits without leading zeros, each 0 … 9.
    private(set) var digits: [UInt8] = []
    private(set) var exponent = 0

    /// - Parameter text: A number that follows the grammar of JSON.
    init(_ text: UnsafeRawBufferPointer) {
        var at = 0
        var fractionCount = 0
        var isFraction = false
        while at < text.count, text[at] | 0x20 != UInt8(ascii: "e") {
            switch text[at] {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            default:
                if isFraction { fractionCount += 1 }
                if text[at] != UInt8(ascii: "0") || !digits.isEmpty { digits.append(text[at] & 15) }
            }
            at += 1
        }
        if at < text.count {
            // The exponent is capped at `Int32.max`. A larger one has the same effect: the number is far too large or
            // far too small.
            let isDownwards = text[at + 1] == UInt8(ascii: "-")
            for byte in text[(at + 1)...] where UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte {
                exponent = min(exponent * 10 + Int(byte & 15), Int(Int32.max))
            }
            if isDownwards { exponent = -exponent }
        }
        exponent -= fractionCount
    }
}

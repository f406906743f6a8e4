/// Appends text without a `String`, which would cost more than the rest of a line.
extension [UInt8] {
    /// Appends a literal.
    package mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a number in decimal digits.
    package mutating func append(decimal value: Int) {
        var rest = UInt(value.magnitude)
        if value < 0 { append(UInt8(ascii: "-")) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = 20
            repeat {
                start -= 1
                digits.initializeElement(at: start, to: UInt8(ascii: "0") + UInt8(rest % 10))
                rest /= 10
            } while rest > 0
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Appends a number in a fixed number of decimal digits.
    ///
    /// - Parameter width: The number of digits. Leading zeros fill a shorter number; a longer one keeps its low digits
    ///   only.
    package mutating func append(decimal value: Int, width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends a number as 16 hexadecimal digits in lower case.
    package mutating func append(hex value: UInt64) {
        append(hex: value, digitCount: 16)
    }

    /// Appends a number's low hexadecimal digits.
    ///
    /// - Parameter digitCount: How many digits to append.
    package mutating func append(hex value: UInt64, digitCount: Int) {
        var shift = digitCount * 4
        while shift > 0 {
            shift -= 4
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(shift)) & 0xF
            append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a"))
        }
    }

    /// Appends a UUID of version 4 in its hyphenated form, made of 128 random bits.
    package mutating func append(uuid high: UInt64, _ low: UInt64) {
        append(hex: high >> 32, digitCount: 8)
        append(UInt8(ascii: "-"))
        append(hex: high >> 16, digitCount: 4)
        append(UInt8(ascii: "-"))
        append(hex: (high & 0x0FFF) | 0x4000, digitCount: 4)
        append(UInt8(ascii: "-"))
        append(hex: (low >> 48 & 0x3FFF) | 0x8000, digitCount: 4)
        append(UInt8(ascii: "-"))
        append(hex: low, digitCount: 12)
    }

    /// Appends a timestamp, such as `2026-01-22T10:05:34.149304Z`.
    ///
    /// - Parameter seconds: Seconds since 1970, not negative.
    /// - Source: H. Hinnant, "chrono-compatible low-level date algorithms", civil_from_days.
    package mutating func append(timestamp seconds: Int, microseconds: Int) {
        let day = seconds / 86_400 + 719_468
        let era = day / 146_097
        let dayOfEra = day % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        append(decimal: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), width: 4)
        append(UInt8(ascii: "-"))
        append(decimal: month, width: 2)
        append(UInt8(ascii: "-"))
        append(decimal: dayOfYear - (153 * monthIndex + 2) / 5 + 1, width: 2)
        append(UInt8(ascii: "T"))
        append(decimal: seconds / 3_600 % 24, width: 2)
        append(UInt8(ascii: ":"))
        append(decimal: seconds / 60 % 60, width: 2)
        append(UInt8(ascii: ":"))
        append(decimal: seconds % 60, width: 2)
        append(UInt8(ascii: "."))
        append(decimal: microseconds, width: 6)
        append(UInt8(ascii: "Z"))
    }
}

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Parses dates as most programs write them, such as `2024-01-02T03:04:05Z`, with up to nine digits of a fraction.
enum ISO8601Text {
    private static let beginningByteCount = 19
    private static let fractionByteCountMax = 9

    /// Parses a date without a formatter.
    ///
    /// - Returns: nil for any other text, including text that is not a date; the caller passes that to a formatter.
    static func date(_ text: Slice<UnsafeRawBufferPointer>) -> Date? {
        let text = UnsafeRawBufferPointer(rebasing: text)
        guard text.count > beginningByteCount, text[text.count - 1] == UInt8(ascii: "Z"),
            text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = number(text[0..<4]), let month = number(text[5..<7]), let day = number(text[8..<10]),
            let hour = number(text[11..<13]), let minute = number(text[14..<16]), let second = number(text[17..<19])
        else { return nil }
        // Dates before 1900 are rare, and the formatter applies the calendar of their time.
        guard year >= 1900, 1...12 ~= month, 1...dayCount(year, month) ~= day, hour < 24, minute < 60, second < 60
        else {
            return nil
        }
        var time = Double(((dayNumber(year, month, day) * 24 + hour) * 60 + minute) * 60 + second)
        let fraction = text[beginningByteCount..<text.count - 1]
        if let first = fraction.first {
            guard first == UInt8(ascii: "."), 1...fractionByteCountMax ~= fraction.count - 1,
                let digits = number(fraction.dropFirst())
            else { return nil }
            let nanoseconds = (fraction.count - 1..<fractionByteCountMax).reduce(digits) { value, _ in value * 10 }
            time += Double(nanoseconds) / 1e9
        }
        return Date(timeIntervalSinceReferenceDate: time)
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        var value = 0
        for byte in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            value = value * 10 + Int(byte & 15)
        }
        return value
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func dayCount(_ year: Int, _ month: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the number of days since 2001-01-01, the reference date.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let past = year - 1
        let yearDays = past * 365 + past / 4 - past / 100 + past / 400 - 730_485
        var days = yearDays + day - 1
        for earlier in 1..<month { days += dayCount(year, earlier) }
        return days
    }
}

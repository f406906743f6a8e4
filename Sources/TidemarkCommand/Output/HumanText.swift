/// Formats numbers for people, with integer arithmetic only.
enum HumanText {
    /// Formats a count with separators: `1,234,567`.
    static func count(_ value: some BinaryInteger) -> String {
        let digits = String(value.magnitude)
        var result = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result += "," }
            result.append(digit)
        }
        return result
    }

    /// Formats a count with its noun: `1 line`, `12 lines`.
    static func count(_ value: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
        "\(count(value)) \(value == 1 ? one : many ?? one + "s")"
    }

    /// Formats a size: `840 B`, `1.2 MB`; 1 kB is 1,000 B.
    static func byteCount(_ value: some BinaryInteger) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        var tenths = Int64(value).magnitude
        guard tenths >= 1_000 else { return "\(value) B" }
        var unit = 1
        tenths = (tenths + 50) / 100
        while tenths >= 10_000, unit + 1 < units.count {
            tenths = (tenths + 500) / 1_000
            unit += 1
        }
        return tenths < 1_000 ? "\(tenths / 10).\(tenths % 10) \(units[unit])" : "\(tenths / 10) \(units[unit])"
    }

    /// Formats a duration: `0.42 s`, `12.3 s`, `4 min 5 s`, `2 h 3 min`.
    static func duration(milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        if seconds < 10 { return "\(seconds).\(String(milliseconds % 1_000 / 10 + 100).dropFirst()) s" }
        if seconds < 60 { return "\(seconds).\(milliseconds % 1_000 / 100) s" }
        if seconds < 3_600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    }

    /// Formats a point in time in UTC: `2026-01-22T10:05:34.149Z`.
    ///
    /// - Parameter milliseconds: Milliseconds since 1970; a negative value is shown as 1970.
    /// - Source: H. Hinnant, "chrono-compatible low-level date algorithms", civil_from_days.
    static func timestamp(milliseconds: Int64) -> String {
        let moment = max(0, milliseconds)
        let seconds = moment / 1_000
        let day = seconds / 86_400 + 719_468
        let dayOfEra = day % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        let year = yearOfEra + day / 146_097 * 400 + (month <= 2 ? 1 : 0)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfYear - (153 * monthIndex + 2) / 5 + 1, 2))"
        let time = "\(padded(seconds / 3_600 % 24, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
        return "\(date)T\(time).\(padded(moment % 1_000, 3))Z"
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

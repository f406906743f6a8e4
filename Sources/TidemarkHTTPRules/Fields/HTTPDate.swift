import TidemarkModel

/// Parses and writes the dates of HTTP, as seconds since 1970. All three formats can be parsed.
///
/// Dates must follow the grammar exactly, including all spaces; only the case of letters is ignored. This matters for
/// `Expires`: an invalid date means that the response has expired, and a lenient parser would keep it.
///
/// - Source: RFC 9110, section 5.6.7; RFC 9111, section 4.2.
package enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let longDays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    /// The longest text that is parsed. Dates of RFC 850 with a long weekday are the longest.
    private static let byteCountMax = 64

    /// Parses a date.
    ///
    /// - Parameter now: The current time in seconds since 1970. A year of two digits that is more than 50 years ahead
    ///   is taken as past.
    /// - Returns: nil for anything else, including time zones other than GMT.
    package static func parse(_ text: ByteString, now: Int64 = 0) -> Int64? {
        guard text.bytes.count <= byteCountMax else { return nil }
        let bytes = Array(ASCII.trimmed(text.bytes[...]))
        let words = bytes.split(separator: 0x20, omittingEmptySubsequences: false).map { $0.map(ASCII.lowercased) }
        var parts = words.map { String(decoding: $0, as: UTF8.self) }
        // Sun, 06 Nov 1994 08:49:37 GMT
        if parts.count == 6, isDay(parts[0], among: days, comma: true), parts[5] == "gmt" {
            return seconds(year: digits(parts[3], 4), month: parts[2], day: digits(parts[1], 2), time: parts[4])
        }
        // Sunday, 06-Nov-94 08:49:37 GMT
        if parts.count == 4, isDay(parts[0], among: longDays, comma: true), parts[3] == "gmt" {
            let date = parts[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard date.count == 3, let short = digits(date[2], 2) else { return nil }
            let thisYear = civil(now / 86_400).year
            var year = thisYear / 100 * 100 + short
            if year > thisYear + 50 { year -= 100 }
            return seconds(year: year, month: date[1], day: digits(date[0], 2), time: parts[2])
        }
        // Sun Nov  6 08:49:37 1994: a day of one digit is preceded by two spaces.
        let isPadded = parts.count == 6 && parts[2].isEmpty
        if isPadded { parts.remove(at: 2) }
        if parts.count == 5, isDay(parts[0], among: days, comma: false) {
            return seconds(
                year: digits(parts[4], 4), month: parts[1], day: digits(parts[2], isPadded ? 1 : 2), time: parts[3])
        }
        return nil
    }

    /// Returns a date in the preferred format, IMF-fixdate.
    package static func text(_ seconds: Int64) -> String {
        let day = floored(seconds, 86_400)
        let rest = seconds - day * 86_400
        let date = civil(day)
        let weekday = Int(((day % 7) + 11) % 7)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        func name(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
        let year = String(repeating: "0", count: max(0, 4 - "\(date.year)".count)) + "\(date.year)"
        return "\(name(days[weekday])), \(two(date.day)) \(name(months[Int(date.month) - 1])) \(year) "
            + "\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
    }

    private static func isDay(_ text: String, among names: [String], comma: Bool) -> Bool {
        names.contains(comma && text.hasSuffix(",") ? String(text.dropLast()) : comma ? "" : text)
    }

    private static func digits(_ text: String, _ count: Int) -> Int64? {
        text.utf8.count == count ? ASCII.number(text.utf8, max: 9_999) : nil
    }

    private static func seconds(year: Int64?, month: String, day: Int64?, time: String) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { digits(String($0), 2) }
        guard let year, let day, let month = months.firstIndex(of: month), clock.count == 3,
            let hour = clock[0], let minute = clock[1], let second = clock[2], hour < 24, minute < 60, second <= 60,
            day >= 1
        else { return nil }
        let number = dayNumber(year, Int64(month) + 1, day)
        // A day that the month does not have would become a day of the next month.
        guard civil(number).month == Int64(month) + 1 else { return nil }
        return number * 86_400 + hour * 3_600 + minute * 60 + min(second, 59)
    }

    /// Returns the number of days since 1970-01-01 in the Gregorian calendar, computed in eras of 400 years that begin
    /// in March.
    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = floored(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ number: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let number = number + 719_468
        let era = floored(number, 146_097)
        let dayOfEra = number - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func floored(_ number: Int64, _ divisor: Int64) -> Int64 {
        number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
    }
}

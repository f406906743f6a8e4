import Foundation
import TidemarkReferenceModel

/// Spellings of JSON that SQLite reads as the views do.
enum JudgeJSON {
    /// The value with the numbers as written, plain strings, and the last of repeated members.
    static func spelled(_ value: ReferenceJSON) throws -> String { try text(value, isSorted: false) { $0 } }

    /// As ``spelled(_:)``, with sorted members.
    static func sorted(_ value: ReferenceJSON) throws -> String { try text(value, isSorted: true) { $0 } }

    /// One spelling for all values that are equal: sorted members, plain strings, plain numbers.
    static func canonical(_ value: ReferenceJSON) throws -> String { try text(value, isSorted: true, number) }

    private static func text(
        _ value: ReferenceJSON, isSorted: Bool, _ number: (String) throws -> String
    ) throws -> String {
        switch value {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let digits): return try number(String(decoding: digits, as: UTF8.self))
        case .string(let string): return try self.string(string.unescaped)
        case .array(let elements):
            let texts = try elements.map { try text($0, isSorted: isSorted, number) }
            return "[\(texts.joined(separator: ","))]"
        case .object(let members):
            var texts: [(key: [UInt8], value: String)] = []
            for member in members {
                texts.removeAll { $0.key == member.key.unescaped }
                texts.append((member.key.unescaped, try text(member.value, isSorted: isSorted, number)))
            }
            if isSorted { texts.sort { $0.key.lexicographicallyPrecedes($1.key) } }
            return "{\(try texts.map { "\(try string($0.key)):\($0.value)" }.joined(separator: ","))}"
        }
    }

    /// A string without escapes but those of quotes and backslashes.
    static func string(_ bytes: [UInt8]) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(where: { $0 < 0x20 }) else {
            throw Unsayable(reason: "a string with control characters or half a surrogate pair")
        }
        return "\"\(String(text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }))\""
    }

    /// The shortest spelling of a number that a double holds exactly.
    private static func number(_ text: String) throws -> String {
        let digits = text.lowercased().prefix { $0 != "e" }.filter(\.isNumber).drop { $0 == "0" }
        guard let value = Double(text), value.magnitude < 1e25 else { throw Unsayable(reason: "a large number") }
        let shown = number(value)
        guard digits.count <= 15 || shown == text else { throw Unsayable(reason: "a number that is no double") }
        return shown
    }

    private static func number(_ value: Double) -> String {
        let text = String(format: "%.12f", value == 0 ? 0 : value)
        let short = text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed()
        return value == value.rounded() ? String(format: "%.0f", value == 0 ? 0 : value) : String(short)
    }

    // MARK: Numbers of aggregates

    /// Replaces the numbers that SQLite gives as fractions: `{"$": [dividend, divisor]}`, or `{"$": [number]}`.
    static func withNumbers(_ value: ReferenceJSON) throws -> ReferenceJSON {
        switch value {
        case .array(let elements): return .array(try elements.map(withNumbers))
        case .object(let members):
            guard let parts = value.member("$")?.elements else {
                return .object(try members.map { ReferenceMember(key: $0.key, value: try withNumbers($0.value)) })
            }
            let texts = parts.map { String(decoding: $0.written, as: UTF8.self) }
            if texts.count == 1, let number = Double(texts[0]) { return .number(Array(self.number(number).utf8)) }
            guard let dividend = Int(texts[0]), let divisor = Int(texts[1]) else { return value }
            return .number(Array(quotient(dividend, divisor).utf8))
        case .null, .bool, .number, .string: return value
        }
    }

    /// The quotient to 20 significant digits, half to even, without trailing zeros.
    static func quotient(_ dividend: Int, _ divisor: Int) -> String {
        var rest = dividend.magnitude % divisor.magnitude
        var digits = String(dividend.magnitude / divisor.magnitude).compactMap(\.wholeNumberValue)
        let wholeCount = digits.count
        while rest != 0, digits.drop(while: { $0 == 0 }).count < 20 {
            rest *= 10
            digits.append(Int(rest / divisor.magnitude))
            rest %= divisor.magnitude
        }
        let isUp = rest * 2 > divisor.magnitude || (rest * 2 == divisor.magnitude && digits[digits.count - 1] % 2 == 1)
        var index = digits.count - 1
        if isUp {
            while index >= 0, digits[index] == 9 {
                digits[index] = 0
                index -= 1
            }
            if index >= 0 { digits[index] += 1 } else { digits.insert(1, at: 0) }
        }
        let whole = wholeCount + (isUp && index < 0 ? 1 : 0)
        let fraction = String(digits[whole...].map(String.init).joined().reversed().drop { $0 == "0" }.reversed())
        let sign = dividend < 0 && digits.contains { $0 != 0 } ? "-" : ""
        return sign + digits[..<whole].map(String.init).joined() + (fraction.isEmpty ? "" : "." + fraction)
    }
}

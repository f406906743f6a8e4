/// A number with its JSON text, so that nothing is rounded and `1.10` stays `1.10`.
///
/// ```swift
/// let price = JSONNumber("1.10")
/// print(price?.text ?? "", price?.double ?? 0)  // 1.10 1.1
/// print(JSONNumber("01") == nil)  // true: not JSON
/// ```
///
/// Two numbers are equal if their texts are: `1.0` and `1.00` differ. Compare ``double`` to compare values.
///
/// - Source: RFC 8259, section 6.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The text of the number, unchanged.
    public let text: String

    /// Makes a number of its text.
    ///
    /// - Returns: nil when `text` is not a JSON number, such as `+1`, `.5`, `01` or `NaN`.
    public init?(_ text: String) {
        guard JSONNumber.isNumber(text) else { return nil }
        self.text = text
    }

    /// Makes a number of an integer, exactly.
    public init(_ value: some FixedWidthInteger) {
        text = String(value)
    }

    /// Makes a number of a `Double`, with the shortest text that reads back as the same value.
    ///
    /// - Returns: nil for infinities and NaN, for which JSON has no text.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = String(describing: value)
    }

    /// - Parameter text: A text whose grammar was checked.
    package init(checked text: String) {
        self.text = text
    }

    /// The value as an `Int`; nil when the text has a fraction or an exponent, or the value does not fit.
    public var int: Int? { Int(text) }

    /// The value as an `Int64`; nil when the text has a fraction or an exponent, or the value does not fit.
    public var int64: Int64? { Int64(text) }

    /// The value as a `UInt64`; nil when it is negative, has a fraction or an exponent, or does not fit.
    public var uint64: UInt64? { UInt64(text) }

    /// The nearest `Double`; infinite if the number is too large for any.
    public var double: Double { Double(text) ?? .nan }

    /// The text of the number, unchanged.
    public var description: String { text }

    private static func isNumber(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var end = 0
            return JSONRuns.number(UnsafeRawBufferPointer(bytes), &end) != .wrong && end == bytes.count
        }
    }
}

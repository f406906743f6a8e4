/// A number with its JSON text: nothing is rounded, and `1.10` stays `1.10`.
///
/// Two numbers are equal when their texts are equal: `1.0` is not `1.00`. Compare ``double`` to compare values.
///
/// - Source: RFC 8259, section 6.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The text of the number, unchanged.
    public let text: String

    /// - Returns: nil when `text` is not a JSON number, such as `+1`, `.5`, `01` or `NaN`.
    public init?(_ text: String) {
        guard JSONNumber.isNumber(text) else { return nil }
        self.text = text
    }

    public init(_ value: some FixedWidthInteger) {
        text = String(value)
    }

    /// - Returns: nil for infinities and for NaN; JSON has no text for them.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = String(describing: value)
    }

    /// - Parameter text: A text that the scan checked.
    init(checked text: String) {
        self.text = text
    }

    /// The value as an `Int`; nil when the text has a fraction or an exponent, or the value does not fit.
    public var int: Int? { Int(text) }

    /// The value as an `Int64`; nil when the text has a fraction or an exponent, or the value does not fit.
    public var int64: Int64? { Int64(text) }

    /// The value as a `UInt64`; nil when it is negative, has a fraction or an exponent, or does not fit.
    public var uint64: UInt64? { UInt64(text) }

    /// The nearest `Double`; infinite for numbers that are too large for any `Double`.
    public var double: Double { Double(text) ?? .nan }

    public var description: String { text }

    private static func isNumber(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var end = 0
            return JSONRuns.number(UnsafeRawBufferPointer(bytes), &end) != .wrong && end == bytes.count
        }
    }
}

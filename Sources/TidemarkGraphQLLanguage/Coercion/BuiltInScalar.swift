import TidemarkModel

/// The five scalars that every schema has, and the values that they accept.
///
/// - Source: GraphQL, October 2021, section 3.5.
enum BuiltInScalar: String {
    case int = "Int"
    case float = "Float"
    case string = "String"
    case boolean = "Boolean"
    case id = "ID"

    /// True if a literal is a value of this scalar. Variables are checked by other rules.
    func accepts(_ literal: Value.Kind) -> Bool {
        switch (self, literal) {
        case (.int, .int(let digits)): BuiltInScalar.isInt32(digits)
        case (.float, .int(let digits)), (.float, .float(let digits)): BuiltInScalar.isFinite(digits)
        case (.string, .string), (.id, .string), (.id, .int), (.boolean, .boolean): true
        case (.int, _), (.float, _), (.string, _), (.boolean, _), (.id, _): false
        }
    }

    /// True if the value of a variable is a value of this scalar.
    func accepts(_ value: InputValue) -> Bool {
        switch (self, value) {
        case (.int, .number(let digits)): BuiltInScalar.isInt32(digits)
        case (.float, .number(let digits)): BuiltInScalar.isFinite(digits)
        case (.id, .number(let digits)): BuiltInScalar.isWhole(digits)
        case (.string, .string), (.id, .string), (.boolean, .boolean): true
        case (.int, _), (.float, _), (.string, _), (.boolean, _), (.id, _): false
        }
    }

    /// True if a number is whole and fits into 32 bits with a sign, in any spelling: `1`, `1.0` and `1e0` are equal.
    private static func isInt32(_ digits: ByteString) -> Bool {
        if isWhole(digits) { return Int32(digits.description) != nil }
        guard let value = Double(digits.description) else { return false }
        return value == value.rounded() && value >= Double(Int32.min) && value <= Double(Int32.max)
    }

    private static func isWhole(_ digits: ByteString) -> Bool {
        digits.bytes.allSatisfy { Lexer.isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isFinite(_ digits: ByteString) -> Bool { Double(digits.description)?.isFinite == true }
}

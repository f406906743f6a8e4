import TidemarkJSON

/// One operator of a predicate with its operand, tested on one value.
package enum ValueTest: Sendable {
    /// The comparisons of `lt`, `lte`, `gt` and `gte`.
    package enum Comparison: Sendable {
        /// `lt`, `lte`, `gt`, `gte`, in this order.
        case less, lessOrEqual, greater, greaterOrEqual
    }

    /// `eq`, with the exact code of the operand.
    case equal([UInt8])
    /// `ne`, with the exact code of the operand: holds whenever `eq` does not, also without a value.
    case notEqual([UInt8])
    /// `lt`, `lte`, `gt` or `gte`, with the ordered code of the operand.
    case ordered(Comparison, [UInt8])
    /// `in`, with the exact codes of the operand's elements.
    case oneOf(Set<[UInt8]>)
    /// `exists`, with the operand.
    case exists(Bool)
    /// `prefix`, with the operand's text without escapes.
    case prefix([UInt8])

    /// Returns true if the test holds for a value.
    ///
    /// - Parameters:
    ///   - value: The value's range; nil if there is none.
    ///   - bytes: The resource that contains the value.
    /// - Complexity: O(value.count).
    package func holds(for value: Range<Int>?, of bytes: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .equal(let operand): ValueTest.exactCode(value, of: bytes) == operand
        case .notEqual(let operand): ValueTest.exactCode(value, of: bytes) != operand
        case .ordered(let comparison, let operand): ValueTest.compare(value, of: bytes, comparison, operand)
        case .oneOf(let operands): ValueTest.exactCode(value, of: bytes).map(operands.contains) ?? false
        case .exists(let wanted): (value != nil) == wanted
        case .prefix(let text): ValueTest.text(value, of: bytes, startsWith: text)
        }
    }

    private static func exactCode(_ value: Range<Int>?, of bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let value else { return nil }
        var code: [UInt8] = []
        ValueCode.appendExact(value, of: bytes, to: &code)
        return code
    }

    private static func compare(
        _ value: Range<Int>?, of bytes: UnsafeRawBufferPointer, _ comparison: Comparison, _ operand: [UInt8]
    ) -> Bool {
        guard let value else { return false }
        var code: [UInt8] = []
        ValueCode.appendOrdered(value, of: bytes, to: &code)
        guard ValueCode.areComparable(code[0], operand[0]) else { return false }
        switch comparison {
        case .less: return code.lexicographicallyPrecedes(operand)
        case .lessOrEqual: return !operand.lexicographicallyPrecedes(code)
        case .greater: return operand.lexicographicallyPrecedes(code)
        case .greaterOrEqual: return !code.lexicographicallyPrecedes(operand)
        }
    }

    private static func text(
        _ value: Range<Int>?, of bytes: UnsafeRawBufferPointer, startsWith prefix: [UInt8]
    ) -> Bool {
        guard let value, bytes[value.lowerBound] == UInt8(ascii: "\"") else { return false }
        let written = UnsafeRawBufferPointer(rebasing: bytes[value].dropFirst().dropLast())
        guard written.count >= prefix.count else { return false }
        return JSONText.isPlain(written)
            ? written.starts(with: prefix) : JSONText.unescaped(written).starts(with: prefix)
    }
}

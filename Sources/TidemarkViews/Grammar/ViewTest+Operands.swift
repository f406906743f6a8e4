import TidemarkJSON
import TidemarkStore

extension ViewTest {
    /// Returns the store's test of an operator with an operand.
    ///
    /// - Parameters:
    ///   - operand: The range of the operand.
    ///   - bytes: Validated JSON without insignificant white space.
    /// - Returns: nil if no value can fulfil the test: `in` with something else than an array, `prefix` with something
    ///   else than a string.
    /// - Complexity: O(operand.count).
    static func test(_ operation: Operator, _ operand: Range<Int>, of bytes: UnsafeRawBufferPointer) -> ValueTest? {
        switch operation {
        case .equal: return .equal(ValueCode.exact(operand, of: bytes))
        case .notEqual: return .notEqual(ValueCode.exact(operand, of: bytes))
        case .less: return .ordered(.less, ordered(operand, of: bytes))
        case .lessOrEqual: return .ordered(.lessOrEqual, ordered(operand, of: bytes))
        case .greater: return .ordered(.greater, ordered(operand, of: bytes))
        case .greaterOrEqual: return .ordered(.greaterOrEqual, ordered(operand, of: bytes))
        case .exists: return .exists(bytes[operand.lowerBound] == UInt8(ascii: "t"))
        case .oneOf:
            guard bytes[operand.lowerBound] == UInt8(ascii: "[") else { return nil }
            var codes: Set<[UInt8]> = []
            JSONElements.forEach(operand, of: bytes) { codes.insert(ValueCode.exact($0, of: bytes)) }
            return .oneOf(codes)
        case .prefix:
            guard bytes[operand.lowerBound] == UInt8(ascii: "\"") else { return nil }
            return .prefix(JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[operand].dropFirst().dropLast())))
        }
    }

    private static func ordered(_ operand: Range<Int>, of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var code: [UInt8] = []
        ValueCode.appendOrdered(operand, of: bytes, to: &code)
        return code
    }
}

/// Walks over the elements of arrays.
enum JSONElements {
    /// Calls `body` with the range of each element.
    ///
    /// - Parameter array: The range of an array in validated JSON without insignificant white space.
    static func forEach(_ array: Range<Int>, of bytes: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void) {
        var cursor = JSONCursor(bytes, at: array.lowerBound + 1)
        while cursor.byte != UInt8(ascii: "]") {
            body(cursor.value())
            if cursor.byte == UInt8(ascii: ",") { cursor.step() }
        }
    }
}

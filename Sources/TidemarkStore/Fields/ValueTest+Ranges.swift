extension ValueTest {
    /// The kept codes of values for which the test may hold, ascending; nil if the test does not restrict them.
    ///
    /// The ranges are never too narrow: a code that was cut may belong to values on either side of a bound.
    var ranges: [CodeRange]? {
        switch self {
        case .notEqual: nil
        case .equal(let code): [CodeRange(ValueTest.kept(exact: code))]
        case .oneOf(let codes): CodeRange.union(codes.map { CodeRange(ValueTest.kept(exact: $0)) })
        case .exists(let isWanted):
            isWanted
                ? [CodeRange(lower: [ValueCode.null], upper: CodeRange.end)] : [CodeRange([ValueCode.missing])]
        case .prefix(let text): [ValueTest.beginning(with: FieldCode.kept(ValueCode.prefix(text)))]
        case .ordered(let comparison, let code): ValueTest.ordered(comparison, code)
        }
    }

    /// Returns the kept form of an exact code. An index stores arrays and objects by their order, in which all are
    /// equal.
    private static func kept(exact code: [UInt8]) -> [UInt8] {
        code.first == ValueCode.other ? [ValueCode.other] : FieldCode.kept(code)
    }

    private static func beginning(with code: [UInt8]) -> CodeRange {
        var upper = code
        while upper.last == 0xFF { upper.removeLast() }
        // The loop ends, because the first byte is a kind, far below 0xFF.
        upper[upper.count - 1] += 1
        return CodeRange(lower: code, upper: upper)
    }

    private static func ordered(_ comparison: Comparison, _ code: [UInt8]) -> [CodeRange] {
        guard let kind = code.first, var range = comparable(kind) else { return [] }
        let isWhole = FieldCode.isWhole(code)
        let kept = FieldCode.kept(code)
        switch comparison {
        case .less: range.upper = isWhole ? kept : kept + [0]
        case .lessOrEqual: range.upper = kept + [0]
        case .greater: range.lower = isWhole ? kept + [0] : kept
        case .greaterOrEqual: range.lower = kept
        }
        return CodeRange.union([range])
    }

    /// Returns the range of codes that can be compared with a kind; nil for arrays, objects and missing values.
    private static func comparable(_ kind: UInt8) -> CodeRange? {
        switch kind {
        case ValueCode.null: CodeRange(lower: [ValueCode.null], upper: [ValueCode.no])
        case ValueCode.no, ValueCode.yes: CodeRange(lower: [ValueCode.no], upper: [ValueCode.negative])
        case ValueCode.negative, ValueCode.zero, ValueCode.positive:
            CodeRange(lower: [ValueCode.negative], upper: [ValueCode.string])
        case ValueCode.string: CodeRange(lower: [ValueCode.string], upper: [ValueCode.other])
        default: nil
        }
    }
}

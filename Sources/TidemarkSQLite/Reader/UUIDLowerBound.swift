import TidemarkModel

/// Finds where UUIDs whose text is greater than a given text begin among UUIDs stored as 16 bytes.
enum UUIDLowerBound {
    /// Returns a lower bound: every UUID whose text is greater than `text` is at or above it as a blob. Of the other
    /// UUIDs, at most the one that equals the bound is at or above it.
    ///
    /// - Parameter text: An id of either form.
    static func bytes(behind text: [UInt8]) -> [UInt8] {
        var digits: [UInt8] = []
        for (index, byte) in text.prefix(UUIDValue.textByteCount).enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                if byte == UInt8(ascii: "-") { continue }
                return byte < UInt8(ascii: "-") ? packed(digits) : packed(successor(digits))
            }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(byte - UInt8(ascii: "a") + 10)
            case ..<UInt8(ascii: "0"): return packed(digits)
            case ..<UInt8(ascii: "a"): return packed(digits + [10])
            default: return packed(successor(digits))
            }
        }
        return packed(digits)
    }

    /// Returns the first digits that sort after everything beginning with these; nil when there are none.
    private static func successor(_ digits: [UInt8]) -> [UInt8]? {
        var digits = digits
        while let last = digits.popLast() {
            if last < 15 { return digits + [last + 1] }
        }
        return nil
    }

    private static func packed(_ digits: [UInt8]?) -> [UInt8] {
        guard let digits else { return Array(repeating: 0xFF, count: 17) }
        return stride(from: 0, to: digits.count, by: 2).map { index in
            digits[index] << 4 | (index + 1 < digits.count ? digits[index + 1] : 0)
        }
    }
}

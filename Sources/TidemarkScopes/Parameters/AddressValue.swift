import TidemarkModel
import TidemarkViews

/// Reads the values of parameters that are in the address of a request.
enum AddressValue {
    /// The largest integer that every client can write: 2^53.
    private static let integerMax: Int64 = 1 << 53

    /// Returns a value as JSON.
    ///
    /// - Parameter text: The value, decoded.
    static func json(
        _ text: ByteString, _ parameter: ScopeParameter, _ limits: ScopeLimits
    ) throws(ScopeRequestError) -> [UInt8] {
        guard parameter.source == .integer else {
            guard 1...limits.addressValueByteCountMax ~= text.bytes.count else {
                throw .badRequest(
                    "\"\(parameter.name)\" has \(text.bytes.count) bytes; write 1 to \(limits.addressValueByteCountMax)"
                )
            }
            guard let string = String(validating: text.bytes, as: UTF8.self),
                !string.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else {
                throw .badRequest("\"\(parameter.name)\" has a control character, or is not UTF-8")
            }
            return RuleNode.string(text.bytes).canonical
        }
        guard isInteger(text.bytes), let value = Int64(text.description), abs(value) <= integerMax else {
            throw .badRequest("\"\(parameter.name)\" is no integer of at most 2^53; write digits alone")
        }
        // Both spellings of zero are one value.
        return Array(String(value).utf8)
    }

    /// True for `-?(0|[1-9][0-9]*)` of a length that cannot overflow.
    private static func isInteger(_ text: [UInt8]) -> Bool {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        guard 1...16 ~= digits.count, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
            return false
        }
        return digits.count == 1 || digits.first != UInt8(ascii: "0")
    }
}

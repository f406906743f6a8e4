import TidemarkJSON

extension MembershipParser {
    /// The most bytes in the name of a type, as on the wire.
    static let typeByteCountMax = 128

    /// Returns the value of a member; nil if it is absent or null.
    func present(_ name: StaticString, of object: JSONObject) -> Range<Int>? {
        guard let value = object.value(named: name), bytes[value.lowerBound] != UInt8(ascii: "n") else { return nil }
        return value
    }

    func object(_ value: Range<Int>, at place: String) throws(MembershipError) -> JSONObject {
        guard !value.isEmpty, bytes[value.lowerBound] == UInt8(ascii: "{") else {
            throw wrong(place, "is not an object; write {…}")
        }
        return JSONObject(bytes, range: value)
    }

    func elements(_ value: Range<Int>, at place: String) throws(MembershipError) -> [Range<Int>] {
        guard bytes[value.lowerBound] == UInt8(ascii: "[") else { throw wrong(place, "is not an array; write […]") }
        var elements: [Range<Int>] = []
        var cursor = JSONCursor(bytes, at: value.lowerBound + 1)
        while cursor.byte != UInt8(ascii: "]") {
            elements.append(cursor.value())
            if cursor.byte == UInt8(ascii: ",") { cursor.step() }
        }
        return elements
    }

    /// Returns the text of a string, without escapes.
    func string(_ value: Range<Int>, at place: String) throws(MembershipError) -> [UInt8] {
        guard bytes[value.lowerBound] == UInt8(ascii: "\"") else { throw wrong(place, "is not a string; write \"…\"") }
        return JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[value].dropFirst().dropLast()))
    }

    func boolean(_ value: Range<Int>, at place: String) throws(MembershipError) -> Bool {
        switch bytes[value.lowerBound] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: throw wrong(place, "is neither true nor false; write one of them")
        }
    }

    func pointer(_ value: Range<Int>, at place: String) throws(MembershipError) -> RulePointer {
        let text = try string(value, at: place)
        do throws(MembershipError) {
            return try RulePointer(text)
        } catch {
            throw wrong(place, error.what)
        }
    }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - place: The JSON Pointer to the error, empty for the rule itself.
    ///   - what: What is wrong and what to write instead: the rest of a sentence that begins with the place.
    func wrong(_ place: String, _ what: String) -> MembershipError {
        MembershipError(place: place, what: what)
    }
}

/// A JSON value that keeps the spelling of numbers and strings byte for byte, and the order and repetitions of members.
///
/// The reference model works only on this type.
///
/// - Source: Protocol/framing.md, "Values".
package indirect enum ReferenceJSON: Equatable, Sendable {
    /// The literal `null`.
    case null
    /// The literal `true` or `false`.
    case bool(Bool)
    /// A number as written.
    case number([UInt8])
    /// A string.
    case string(ReferenceString)
    /// An array.
    case array([ReferenceJSON])
    /// An object, with repeated members.
    case object([ReferenceMember])

    /// The value as JSON without white space between tokens, with the original spelling of numbers and strings.
    ///
    /// - Complexity: O(size of the value).
    package var written: [UInt8] {
        var output: [UInt8] = []
        write(to: &output)
        return output
    }

    /// Returns the value of the last member whose unescaped key is `name`; nil if there is none, or this is not an
    /// object.
    package func member(_ name: String) -> ReferenceJSON? { member(Array(name.utf8)) }

    /// Like ``member(_:)``, for a name that may contain half a surrogate pair.
    package func member(_ name: [UInt8]) -> ReferenceJSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key.unescaped == name }?.value
    }

    /// Like ``member(_:)``, with an explicit null counted as absent.
    package func presentMember(_ name: String) -> ReferenceJSON? {
        let value = member(name)
        return value == .null ? nil : value
    }

    /// The members of an object; nil for every other value.
    package var members: [ReferenceMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The elements of an array; nil for every other value.
    package var elements: [ReferenceJSON]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The unescaped bytes of a string without lone surrogates; nil for every other value.
    package var text: [UInt8]? {
        guard case .string(let string) = self, !string.hasLoneSurrogate else { return nil }
        return string.unescaped
    }

    /// The unescaped bytes of a string, with half a surrogate pair as the bytes of its code point; nil for every other
    /// value.
    package var unescaped: [UInt8]? {
        guard case .string(let string) = self else { return nil }
        return string.unescaped
    }

    /// The text of a number written without fraction and exponent; nil for every other value.
    package var integerText: [UInt8]? {
        guard case .number(let digits) = self else { return nil }
        let isInteger = digits.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= 0x30 && $0 <= 0x39) }
        return isInteger ? digits : nil
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += Array("null".utf8)
        case .bool(let flag): output += Array((flag ? "true" : "false").utf8)
        case .number(let digits): output += digits
        case .string(let string): output += string.spelling
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output += member.key.spelling
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}

import TidemarkModel

/// The header fields of a message in their order, repeated ones apart. Names compare without case.
///
/// - Source: RFC 9110, section 5.
package struct HeaderFields: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var name: ByteString
        package var value: ByteString

        package init(_ name: ByteString, _ value: ByteString) {
            self.name = name
            self.value = value
        }
    }

    package var fields: [Field]

    package init(_ fields: [Field] = []) { self.fields = fields }

    /// The largest number of fields of a message.
    package static let countMax = 1_000
    /// The largest size of all names and values of a message: 256 KiB.
    package static let byteCountMax = 256 * 1024

    package var isEmpty: Bool { fields.isEmpty }

    /// Returns the values of all fields of a name, in order.
    ///
    /// - Parameter name: In lower case.
    package func values(_ name: String) -> [ByteString] {
        let wanted = name.utf8
        return fields.compactMap { ASCII.equals($0.name.bytes, lower: wanted) ? $0.value : nil }
    }

    /// Returns the first value of a name; nil without one.
    package func first(_ name: String) -> ByteString? {
        let wanted = name.utf8
        return fields.first { ASCII.equals($0.name.bytes, lower: wanted) }?.value
    }

    package func contains(_ name: String) -> Bool { first(name) != nil }

    /// Returns the values of a name as one list; nil without a field.
    package func combined(_ name: String) -> ByteString? {
        let values = values(name)
        guard values.count != 1 else { return values[0] }
        return values.isEmpty ? nil : ByteString(Array(values.map(\.bytes).joined(separator: Array(", ".utf8))))
    }

    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(ByteString(name), ByteString(value)))
    }

    /// Removes all fields of a name.
    package mutating func remove(_ name: String) {
        let wanted = name.utf8
        fields.removeAll { ASCII.equals($0.name.bytes, lower: wanted) }
    }

    /// Returns the fields without those of some names.
    ///
    /// - Parameter names: In lower case.
    package func removing(_ names: Set<ByteString>) -> HeaderFields {
        guard !names.isEmpty else { return self }
        return HeaderFields(fields.filter { !names.contains(ByteString($0.name.bytes.map(ASCII.lowercased))) })
    }

    /// Replaces all fields of a name by one.
    package mutating func set(_ name: String, _ value: String) {
        remove(name.lowercased())
        append(name, value)
    }

    /// Returns what is wrong with a field; nil for one that may be sent. CR, LF and NUL would begin another field.
    ///
    /// - Source: RFC 9110, sections 5.1 and 5.5.
    package static func fault(name: ByteString, value: ByteString) -> String? {
        guard !name.bytes.isEmpty, name.bytes.allSatisfy(ASCII.isToken) else {
            return "the header name '\(name.excerpt(byteCount: 60))' is no token"
        }
        guard value.bytes.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
            return "the value of header \(name) has a control character"
        }
        return nil
    }
}

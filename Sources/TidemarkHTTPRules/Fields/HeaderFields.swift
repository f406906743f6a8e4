import TidemarkModel

/// The header fields of a message, in their order and with repetitions. Names are compared ignoring case.
///
/// - Source: RFC 9110, section 5.
package struct HeaderFields: Hashable, Sendable {
    /// A header field.
    package struct Field: Hashable, Sendable {
        /// The name in its original case.
        package var name: ByteString
        /// The value without surrounding spaces.
        package var value: ByteString

        /// Creates a field.
        package init(_ name: ByteString, _ value: ByteString) {
            self.name = name
            self.value = value
        }
    }

    /// The header fields in the order of the message; one name may occur several times.
    package var fields: [Field]

    /// Creates a list of fields.
    package init(_ fields: [Field] = []) { self.fields = fields }

    /// The largest number of fields in a message.
    package static let countMax = 1_000
    /// The largest size of all names and values of a message, in bytes: 256 KiB.
    package static let byteCountMax = 256 * 1024

    /// True if there are no fields.
    package var isEmpty: Bool { fields.isEmpty }

    /// Returns the values of all fields with a name, in order.
    ///
    /// - Parameter name: The name in lowercase.
    package func values(_ name: String) -> [ByteString] {
        let wanted = name.utf8
        return fields.compactMap { ASCII.equals($0.name.bytes, lower: wanted) ? $0.value : nil }
    }

    /// Returns the value of the first field with a name; nil if there is none.
    ///
    /// - Parameter name: The name in lowercase.
    package func first(_ name: String) -> ByteString? {
        let wanted = name.utf8
        return fields.first { ASCII.equals($0.name.bytes, lower: wanted) }?.value
    }

    /// True if there is a field with a name.
    ///
    /// - Parameter name: The name in lowercase.
    package func contains(_ name: String) -> Bool { first(name) != nil }

    /// Returns the values of all fields with a name, joined by commas; nil if there is none.
    package func combined(_ name: String) -> ByteString? {
        let values = values(name)
        guard values.count != 1 else { return values[0] }
        return values.isEmpty ? nil : ByteString(Array(values.map(\.bytes).joined(separator: Array(", ".utf8))))
    }

    /// Adds a field at the end.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(ByteString(name), ByteString(value)))
    }

    /// Removes all fields with a name.
    ///
    /// - Parameter name: The name in lowercase.
    package mutating func remove(_ name: String) {
        let wanted = name.utf8
        fields.removeAll { ASCII.equals($0.name.bytes, lower: wanted) }
    }

    /// Returns the fields except those with certain names.
    ///
    /// - Parameter names: The names in lowercase.
    package func removing(_ names: Set<ByteString>) -> HeaderFields {
        guard !names.isEmpty else { return self }
        return HeaderFields(fields.filter { !names.contains(ByteString($0.name.bytes.map(ASCII.lowercased))) })
    }

    /// Replaces all fields with a name by one field.
    package mutating func set(_ name: String, _ value: String) {
        remove(name.lowercased())
        append(name, value)
    }

    /// Returns what is wrong with a field; nil if it may be sent. CR, LF and NUL are refused because they would start
    /// another field.
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

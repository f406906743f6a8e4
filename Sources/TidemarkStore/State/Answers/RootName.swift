import TidemarkModel

/// The name of a root field among the queries.
package struct RootName: Hashable, Sendable {
    /// `Query.` followed by the name of the field.
    package let method: ByteString
    /// The arguments as canonical JSON.
    package let input: ByteString

    /// Creates a name from its parts.
    package init(method: ByteString, input: ByteString) {
        self.method = method
        self.input = input
    }

    /// Creates the name of a field.
    ///
    /// - Parameter storageName: The field's storage name: its name, followed by its arguments in brackets.
    package init(storageName: ByteString) {
        let bytes = storageName.bytes
        let end = bytes.firstIndex(of: UInt8(ascii: "(")) ?? bytes.count
        method = ByteString(Array("Query.".utf8) + bytes[..<end])
        input = end < bytes.count ? ByteString(bytes[(end + 1)...].dropLast()) : "{}"
    }

    /// Returns the key of the query for the root field itself, or for another type that its value refers to.
    func key(in library: ByteString, type: ByteString? = nil) -> QueryKey {
        let method = type.map { ByteString(self.method.bytes + [UInt8(ascii: ":")] + $0.bytes) } ?? self.method
        return QueryKey(library: library, method: method, canonicalInput: input)
    }
}

import TidemarkModel

/// The name under which a field's value is stored.
///
/// The field's name, and behind it the arguments as canonical JSON, when there are any. An alias, a default of the
/// schema and the types of the arguments change nothing. `@connection(key:, filter:)` puts another name in place of the
/// field's, and keeps the arguments that it lists.
///
/// - Source: Protocol/graphql.md, storage names.
package enum StorageName {
    /// - Parameters:
    ///   - field: A field of a document that was checked.
    ///   - variables: ``OperationVariables/given``.
    /// - Complexity: O(the arguments).
    package static func of(_ field: Field, variables: [ByteString: InputValue]) -> ByteString {
        guard !field.arguments.isEmpty || !field.directives.isEmpty else { return field.name.text }
        var values: [ByteString: InputValue] = [:]
        for argument in field.arguments {
            values[argument.name.text] = InputValue(argument.value, variables: variables)
        }
        var text = field.name.text.bytes
        if let connection = Connection(field, variables) {
            text = connection.key.bytes
            values = values.filter { connection.filter.contains($0.key) }
        }
        guard !values.isEmpty else { return ByteString(text) }
        text.append(UInt8(ascii: "("))
        InputValue.object(values).appendJSON(to: &text)
        text.append(UInt8(ascii: ")"))
        return ByteString(text)
    }

    /// The values of `@connection`.
    private struct Connection {
        var key: ByteString
        /// Names of arguments that the storage name keeps.
        var filter: Set<ByteString> = []

        /// - Returns: nil when the field has no such directive, or none with a key.
        init?(_ field: Field, _ variables: [ByteString: InputValue]) {
            guard let directive = field.directives.first(where: { $0.name.text == "connection" }) else { return nil }
            var key: ByteString?
            for argument in directive.arguments {
                switch (argument.name.text, InputValue(argument.value, variables: variables)) {
                case ("key", .string(let text)): key = text
                case ("filter", .string(let name)): filter = [name]
                case ("filter", .list(let names)):
                    for case .string(let name) in names { filter.insert(name) }
                default: break
                }
            }
            guard let key, !key.bytes.isEmpty else { return nil }
            self.key = key
        }
    }
}

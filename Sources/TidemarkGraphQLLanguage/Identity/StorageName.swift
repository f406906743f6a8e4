import TidemarkModel

/// Makes the name under which a field's value is stored.
///
/// The name is the field's name, followed by its arguments, if any, as canonical JSON. Aliases, defaults of the schema
/// and the types of arguments do not change it. `@connection(key:, filter:)` replaces the field's name, and keeps only
/// the arguments that it lists.
///
/// - Source: Protocol/graphql.md, storage names.
package enum StorageName {
    /// Returns the storage name of a field.
    ///
    /// - Parameters:
    ///   - field: A field of a checked document.
    ///   - variables: The values in ``OperationVariables/given``.
    /// - Complexity: O(arguments).
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
        /// The names of the arguments that the storage name keeps.
        var filter: Set<ByteString> = []

        /// Reads the directive of a field.
        ///
        /// - Returns: nil if the field has no such directive, or it has no key.
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

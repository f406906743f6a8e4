import TidemarkModel

extension InputValue {
    /// Converts a literal of a document, with its variables filled in. Enum values become strings, and numbers keep
    /// their spelling.
    ///
    /// A variable without a value is left out of an object, and is null in a list.
    ///
    /// - Parameter variables: The values by name, including defaults.
    /// - Returns: nil if the literal is a variable without a value.
    package init?(_ literal: Value, variables: [ByteString: InputValue]) {
        switch literal.kind {
        case .variable(let name):
            guard let value = variables[name] else { return nil }
            self = value
        case .int(let digits), .float(let digits): self = .number(digits)
        case .string(let string): self = .string(string.text)
        case .boolean(let isTrue): self = .boolean(isTrue)
        case .null: self = .null
        case .enumeration(let name): self = .string(name)
        case .list(let elements): self = .list(elements.map { InputValue($0, variables: variables) ?? .null })
        case .object(let fields):
            var members: [ByteString: InputValue] = [:]
            for field in fields { members[field.name.text] = InputValue(field.value, variables: variables) }
            self = .object(members)
        }
    }
}

import TidemarkModel

extension InputValue {
    /// A literal of a document with variables substituted: enum values as strings, numbers as they are written.
    ///
    /// A variable without a value is left out of an object, and is null in a list.
    ///
    /// - Parameter variables: Values by name, defaults included.
    /// - Returns: nil for a variable without a value.
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

/// What is wrong with a document, where, and what to write instead.
///
/// - Source: Protocol/policy.md, errors.
public struct GraphQLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One word that a script can look for.
    public var code: Code
    /// What was found, what was expected and what to do; one line for a person.
    public var message: String
    /// From 1.
    public var line: Int
    /// From 1, in Unicode scalars; see ``SourcePlace``.
    public var column: Int

    package init(_ code: Code, _ message: String, at place: SourcePlace) {
        self.code = code
        self.message = message
        line = place.line
        column = place.column
    }

    /// `3:14: unknown_field: …`.
    public var description: String { "\(line):\(column): \(code.rawValue): \(message)" }
}

/// An error in a document: what is wrong, where it is, and what to write instead.
///
/// - Source: Protocol/policy.md, errors.
public struct GraphQLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the error, as a word that scripts can search for.
    public var code: Code
    /// One line for people: what was found, what was expected, and what to do.
    public var message: String
    /// The number of the line, from 1.
    public var line: Int
    /// The number of the column, from 1, in Unicode scalars; see `SourcePlace`.
    public var column: Int

    package init(_ code: Code, _ message: String, at place: SourcePlace) {
        self.code = code
        self.message = message
        line = place.line
        column = place.column
    }

    /// The error in one line, such as `3:14: unknown_field: …`.
    public var description: String { "\(line):\(column): \(code.rawValue): \(message)" }
}

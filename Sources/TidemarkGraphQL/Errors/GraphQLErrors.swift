/// All errors in a document.
public struct GraphQLErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of errors that are kept; further ones are counted.
    public static let countMax = 1_000

    /// The first ``countMax`` errors that were found. In a thrown value there is at least one, and they are in the
    /// order of their places.
    public private(set) var errors: [GraphQLError] = []
    /// The number of all errors.
    public private(set) var count = 0

    package init() {}

    /// The errors, one a line.
    public var description: String {
        let rest = count - errors.count
        return (errors.map(\.description) + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n")
    }

    /// Creates a value with a single error.
    package init(_ error: GraphQLError) {
        append(error)
    }

    mutating func append(_ error: GraphQLError) {
        count += 1
        if errors.count < GraphQLErrors.countMax { errors.append(error) }
    }

    mutating func append(_ code: GraphQLError.Code, _ message: String, at place: SourcePlace) {
        append(GraphQLError(code, message, at: place))
    }

    /// Sorts the errors by their places; errors at one place stay in the order in which they were found.
    mutating func sort() {
        errors = errors.enumerated().sorted { left, right in
            (left.element.line, left.element.column, left.offset) < (
                right.element.line, right.element.column, right.offset
            )
        }.map(\.element)
    }
}

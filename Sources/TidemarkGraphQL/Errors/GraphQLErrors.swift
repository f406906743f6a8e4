/// Everything that is wrong with a document.
public struct GraphQLErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The most that are kept; further ones are counted.
    public static let countMax = 1_000

    /// The first ``countMax`` that were found. Never empty once thrown; then in the order of their places.
    public private(set) var errors: [GraphQLError] = []
    /// All of them.
    public private(set) var count = 0

    package init() {}

    /// One line for each of them.
    public var description: String {
        let rest = count - errors.count
        return (errors.map(\.description) + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "\n")
    }

    /// One error alone.
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

    /// In the order of their places; of one place, in the order they were found.
    mutating func sort() {
        errors = errors.enumerated().sorted { left, right in
            (left.element.line, left.element.column, left.offset) < (
                right.element.line, right.element.column, right.offset
            )
        }.map(\.element)
    }
}

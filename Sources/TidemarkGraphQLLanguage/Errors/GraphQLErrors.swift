/// All errors in a document.
public struct GraphQLErrors: Error, Hashable, Sendable, CustomStringConvertible {
    /// The largest number of errors that are kept: 1,000. Further ones are counted.
    public static let countMax = 1_000

    /// The first ``countMax`` errors. A thrown value has at least one, and they are ordered by place.
    public private(set) var errors: [GraphQLError] = []
    /// The number of all errors, including those that are not kept.
    public private(set) var count = 0

    package init() {}

    /// The errors, one on each line.
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

    /// Sorts the errors by place. Errors at one place keep their order.
    mutating func sort() {
        errors = errors.enumerated().sorted { left, right in
            (left.element.line, left.element.column, left.offset) < (
                right.element.line, right.element.column, right.offset
            )
        }.map(\.element)
    }
}

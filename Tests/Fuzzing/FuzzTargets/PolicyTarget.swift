import TidemarkGraphQLLanguage
import TidemarkModel

/// Documents of types and policies.
///
/// A document that is read is the same when it is read again; a comment before it moves every place by one line and
/// changes nothing else; every error has a place in the document, in order, on one line.
enum PolicyTarget {
    static let target = FuzzTarget("policy", byteCountMax: 4_096, .now(check))

    private static func check(_ bytes: [UInt8]) throws {
        let document = parse(bytes)
        let policy = read(bytes)
        try requireEqual(parse(bytes), document, "the document, parsed again")
        try requireEqual(read(bytes), policy, "the policy, read again")
        if case .failure(let error) = document {
            try requireEqual(policy.failure?.errors, [error], "errors of a policy that is no document")
        }
        if case .failure(let errors) = policy { try requirePlaces(errors, in: bytes) }
        if case .success(let policy) = policy {
            try require(
                policy.types.allSatisfy { policy.type($0.name) == $0 }, "a type that is not found by its name")
            try require(document.failure == nil, "a policy of what is no document")
        }
        // A byte order mark is one at the beginning only.
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return }
        let moved = read(Array("# é\n".utf8) + bytes)
        switch (policy, moved) {
        case (.success(let policy), .success(let other)):
            try requireEqual(other.types, policy.types, "the policy behind a comment")
        case (.failure(let errors), .failure(let others)):
            try requireEqual(
                others.errors.map { "\($0.line - 1):\($0.column): \($0.code)" },
                errors.errors.map { "\($0.line):\($0.column): \($0.code)" }, "errors behind a comment")
        default: throw FuzzFinding("a comment in front makes of \(policy) \(moved)")
        }
    }

    private static func parse(_ bytes: [UInt8]) -> Result<Document, GraphQLError> {
        Result { () throws(GraphQLError) in try DocumentParser.parse(bytes) }
    }

    private static func read(_ bytes: [UInt8]) -> Result<CachePolicy, GraphQLErrors> {
        Result { () throws(GraphQLErrors) in try CachePolicy(graphQL: bytes) }
    }

    private static func requirePlaces(_ errors: GraphQLErrors, in bytes: [UInt8]) throws {
        let places = errors.errors.map { SourcePlace(line: $0.line, column: $0.column) }
        try require(!places.isEmpty && errors.count >= places.count, "errors are thrown, and there are none")
        try requireEqual(places, places.sorted(), "places in order")
        let counts = scalarCounts(of: bytes)
        for error in errors.errors {
            try require(
                1...counts.count ~= error.line && 1...counts[error.line - 1] + 1 ~= error.column,
                "a place outside: \(error)")
            try require(
                !error.message.isEmpty && !error.message.contains(where: \.isNewline),
                "a message of several lines: \(error)")
        }
    }

    /// Returns the number of scalars of each line, which columns count; a byte that belongs to no scalar counts as one.
    private static func scalarCounts(of bytes: [UInt8]) -> [Int] {
        var counts = [0]
        var last: Unicode.Scalar?
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n" where last == "\r": break
            case "\n", "\r": counts.append(0)
            default: counts[counts.count - 1] += 1
            }
            last = scalar
        }
        return counts
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

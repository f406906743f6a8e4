import TidemarkJSON

/// A query, mutation or subscription whose data has a generated Swift type. `tidemark graphql generate` writes
/// conforming types.
///
/// Two operations are equal if they have the same type and equal variables.
public protocol TypedOperation: GraphQLOperation, Hashable where Data: SelectionSet {
    /// The name of the operation in its document.
    static var operationName: String { get }
    /// The document: the operation and the fragments that it uses.
    static var document: String { get }
    /// The SHA-256 of the document as 64 hexadecimal digits.
    static var documentID: String { get }
}

extension TypedOperation {
    /// The operation with the values of its variables, such as `HeroName.Variables(episode: .value(.jedi))`.
    public typealias Variables = Self

    /// The document of the type.
    public var document: String { Self.document }
    /// The operation's name in its document.
    public var operationName: String? { Self.operationName }

    /// Reads `data` in one pass over its text, without an intermediate tree.
    ///
    /// - Throws: ``SelectionError`` at the first place that does not fit.
    /// - Complexity: O(json).
    public static func data(from json: [UInt8], failures: [DeferredFailure]) throws -> Data {
        try Data(data: json, failures: failures)
    }
}

/// A generated query.
public protocol TypedQuery: TypedOperation {}

/// A generated mutation.
public protocol TypedMutation: TypedOperation {}

/// A generated subscription.
public protocol TypedSubscription: TypedOperation {}

/// A generated fragment: a selection that can be read or written on its own for one entity.
public protocol TypedFragment: SelectionSet {
    /// The name of the fragment in its document.
    static var fragmentName: String { get }
    /// The document: the fragment and those that it spreads.
    static var document: String { get }
}

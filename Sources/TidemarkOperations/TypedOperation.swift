import Tidemark

/// A query, mutation or subscription whose data has a Swift type; `tidemark graphql generate` writes conforming types.
///
/// Two operations are equal when they are of one type and their variables are equal.
public protocol TypedOperation: GraphQLOperation, Hashable where Data: SelectionSet {
    /// The operation's name in its document.
    static var operationName: String { get }
    /// The document: the operation and the fragments that it needs.
    static var document: String { get }
    /// The SHA-256 of the document as 64 hexadecimal digits.
    static var documentID: String { get }
}

extension TypedOperation {
    /// The operation with values of its variables: `HeroName.Variables(episode: .value(.jedi))`.
    public typealias Variables = Self

    public var document: String { Self.document }
    public var operationName: String? { Self.operationName }

    /// Reads `data` in one pass over the text, without a tree or a dictionary.
    ///
    /// - Throws: ``SelectionError``.
    /// - Complexity: O(json).
    public static func data(from json: [UInt8], failures: [DeferredFailure]) throws -> Data {
        try Data(data: json, failures: failures)
    }
}

/// An operation that reads.
public protocol TypedQuery: TypedOperation {}

/// An operation that writes.
public protocol TypedMutation: TypedOperation {}

/// An operation with many answers.
public protocol TypedSubscription: TypedOperation {}

/// A fragment of a document: a selection that can be read or written by itself for one entity.
public protocol TypedFragment: SelectionSet {
    /// The fragment's name in its document.
    static var fragmentName: String { get }
    /// The document: the fragment and those that it spreads.
    static var document: String { get }
}

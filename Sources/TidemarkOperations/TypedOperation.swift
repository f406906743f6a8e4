import Tidemark

/// A query, mutation or subscription whose data has a Swift type; `tidemark graphql generate` writes conforming types.
///
/// Two operations are equal when they are of one type and their variables are equal.
public protocol TypedOperation: Hashable, Sendable {
    /// The structure of the answer's `data`.
    associatedtype Data: SelectionSet

    /// The operation's name in its document.
    static var operationName: String { get }
    /// The document: the operation and the fragments that it needs.
    static var document: String { get }
    /// The SHA-256 of the document as 64 hexadecimal digits.
    static var documentID: String { get }
    /// The values of the variables: one JSON object. An absent variable has no member.
    var variables: JSONValue { get }
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

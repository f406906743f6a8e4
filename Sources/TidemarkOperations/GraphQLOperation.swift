import Tidemark

/// A query, mutation or subscription with its variables, and the Swift type of its data.
///
/// Generated operations are ``TypedOperation``s. A type that is written by hand gives a document, and has data that is
/// `Codable`.
public protocol GraphQLOperation: Sendable {
    /// The type that `data` is decoded to. It has the response names of the document.
    associatedtype Data: Codable & Sendable

    /// The text of the document.
    var document: String { get }
    /// The operation; nil when the document has one.
    var operationName: String? { get }
    /// An object; its members are the variables.
    var variables: JSONValue { get }

    /// Reads `data` from its JSON.
    ///
    /// - Parameters:
    ///   - json: One object in UTF-8, as a server or the cache gives it.
    ///   - failures: The deferred fragments that failed.
    /// - Throws: An error of decoding.
    static func data(from json: [UInt8], failures: [DeferredFailure]) throws -> Data
}

extension GraphQLOperation {
    public var operationName: String? { nil }
    public var variables: JSONValue { .object([]) }

    /// Decodes `data` as any `Codable`; failures of deferred fragments have no place in it.
    public static func data(from json: [UInt8], failures: [DeferredFailure]) throws -> Data {
        try ResourceCoder().value(Data.self, json)
    }
}

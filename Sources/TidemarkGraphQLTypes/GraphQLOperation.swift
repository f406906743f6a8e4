import TidemarkJSON

/// A query, mutation or subscription with its variables, and the Swift type of its data.
///
/// Generated operations are ``TypedOperation``s. A type written by hand provides a document, and its data is `Codable`:
///
/// ```swift
/// struct HeroName: GraphQLOperation {
///     struct Hero: Codable, Sendable { var name: String }
///     struct Data: Codable, Sendable { var hero: Hero? }
///     let document = "{ hero { name } }"
/// }
/// let json = #"{"hero":{"name":"Artoo"}}"#
/// print(try HeroName.data(from: Array(json.utf8), failures: []).hero?.name ?? "nobody")
/// ```
public protocol GraphQLOperation: Sendable {
    /// The type that `data` is decoded to. Its members have the response names of the document.
    associatedtype Data: Codable & Sendable

    /// The text of the document.
    var document: String { get }
    /// The name of the operation to run; nil if the document has only one.
    var operationName: String? { get }
    /// The values of the variables, as an object.
    var variables: JSONValue { get }

    /// Decodes `data` from JSON.
    ///
    /// - Parameters:
    ///   - json: One object in UTF-8, from a server or the cache.
    ///   - failures: The deferred fragments that failed.
    /// - Throws: Any error of decoding.
    static func data(from json: [UInt8], failures: [DeferredFailure]) throws -> Data
}

extension GraphQLOperation {
    /// nil: the document has only one operation.
    public var operationName: String? { nil }
    /// An empty object: the operation has no variables.
    public var variables: JSONValue { .object([]) }

    /// Decodes `data` with `Codable`. The failures of deferred fragments are ignored.
    public static func data(from json: [UInt8], failures: [DeferredFailure]) throws -> Data {
        try JSONDecoding.value(Data.self, json)
    }
}

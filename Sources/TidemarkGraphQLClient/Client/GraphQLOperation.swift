import Tidemark
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkOperations

extension GraphQLOperation {
    /// The operation as the cache takes it.
    func request(in library: ByteString) -> GraphRequest {
        let variables = variables
        let hasVariables = !(variables.members?.isEmpty ?? false)
        return GraphRequest(
            ByteString(document), operationName: operationName.map { ByteString($0) },
            variables: hasVariables ? ByteString(variables.bytes) : nil, library: library)
    }
}

/// The text of a document with its variables; its data is JSON.
///
/// ```swift
/// let hero = try await client.fetch(query: "{ hero { name } }")
/// print(hero.data?["hero"]?["name"]?.string ?? "nobody")
/// ```
public struct GraphQLDocument: GraphQLOperation, Hashable, ExpressibleByStringLiteral {
    public typealias Data = JSONValue

    public var document: String
    public var operationName: String?
    public var variables: JSONValue

    /// - Parameters:
    ///   - document: The text, at most 1 MiB.
    ///   - operationName: The operation; nil when the document has one.
    ///   - variables: An object.
    public init(_ document: String, operationName: String? = nil, variables: JSONValue = .object([])) {
        self.document = document
        self.operationName = operationName
        self.variables = variables
    }

    public init(stringLiteral text: String) { self.init(text) }
}

/// The policies as Apollo's clients name them.
extension FetchPolicy {
    /// The same as `cacheFirst`.
    public static let returnCacheDataElseFetch = FetchPolicy.cacheFirst
    /// The same as `cacheAndNetwork`.
    public static let returnCacheDataAndFetch = FetchPolicy.cacheAndNetwork
    /// The same as `cacheOnly`.
    public static let returnCacheDataDontFetch = FetchPolicy.cacheOnly
    /// The same as `networkOnly`.
    public static let fetchIgnoringCacheData = FetchPolicy.networkOnly
    /// The same as `networkOnlyNoStore`.
    public static let fetchIgnoringCacheCompletely = FetchPolicy.networkOnlyNoStore
}

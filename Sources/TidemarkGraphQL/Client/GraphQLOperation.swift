import Tidemark
import TidemarkModel
import TidemarkGraphQLTypes

extension GraphQLOperation {
    /// Returns the operation as a request to the cache.
    func request(in library: ByteString) -> GraphQLRequest {
        let variables = variables
        let hasVariables = !(variables.members?.isEmpty ?? false)
        return GraphQLRequest(
            ByteString(document), operationName: operationName.map { ByteString($0) },
            variables: hasVariables ? ByteString(variables.bytes) : nil, library: library)
    }
}

/// A GraphQL document given as text, with its variables. Its data is JSON.
///
/// ```swift
/// let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
/// let hero = GraphQLDocument("query($e: Episode) { hero(episode: $e) { name } }", variables: ["e": "JEDI"])
/// let result = try await client.fetch(query: hero)
/// print(result.data?["hero"]?["name"]?.string ?? "nobody")
/// ```
public struct GraphQLDocument: GraphQLOperation, Hashable, ExpressibleByStringLiteral {
    /// JSON, in which members are found by name.
    public typealias Data = JSONValue

    /// The text of the document.
    public var document: String
    /// The name of the operation to run; nil if the document has only one.
    public var operationName: String?
    /// The values of the variables, as an object.
    public var variables: JSONValue

    /// Creates a document from its text.
    ///
    /// - Parameters:
    ///   - document: The text; at most 1 MiB.
    ///   - operationName: The name of the operation to run; nil if the document has only one.
    ///   - variables: The values of the variables, as an object.
    public init(_ document: String, operationName: String? = nil, variables: JSONValue = .object([])) {
        self.document = document
        self.operationName = operationName
        self.variables = variables
    }

    /// Creates a document without variables from a literal.
    public init(stringLiteral text: String) { self.init(text) }
}

/// The names of the policies in Apollo's clients.
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

import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// A GraphQL server that is reached over HTTP.
///
/// ```swift
/// let endpoint = try GraphQLEndpoint(
///     url: "https://example.com/graphql", headers: [("Authorization", "Bearer token")], timeout: .seconds(10))
/// let client = try await GraphQLClient(cache, endpoint: endpoint)
/// ```
public struct GraphQLEndpoint: Sendable {
    let endpoint: DocumentServer

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - url: The URL of the endpoint.
    ///   - headers: The headers of every request. Their values never appear in logs or errors.
    ///   - pendingHeader: The name of the header that carries the id of a mutation's edit, so that events can settle
    ///     the edit.
    ///   - timeout: The time limit for a response. For a response in parts it applies to the head, and
    ///     to each wait for the next part.
    /// - Throws: ``/Tidemark/CacheError`` `.invalidParams` for an invalid URL or header.
    public init(
        url: String, headers: [(name: String, value: String)] = [], pendingHeader: String = "Tidemark-Pending-Id",
        timeout: Duration = .seconds(30)
    ) throws(CacheError) {
        let parsed: HTTPURL
        do throws(HTTPURL.Fault) {
            parsed = try HTTPURL(ByteString(url))
        } catch {
            throw CacheError(.invalidParams, "the endpoint: \(error)")
        }
        var fields = HeaderFields()
        for header in headers {
            let name = ByteString(header.name)
            let value = ByteString(header.value)
            guard HeaderFields.fault(name: name, value: value) == nil else {
                throw CacheError(.invalidParams, "a header has a name or a value that no field may have")
            }
            fields.fields.append(.init(name, value))
        }
        guard HeaderFields.fault(name: ByteString(pendingHeader), value: "x") == nil else {
            throw CacheError(.invalidParams, "pendingHeader is no name of a field")
        }
        endpoint = DocumentServer(
            url: parsed, fields: fields, pendingField: ByteString(pendingHeader),
            timeout: max(.milliseconds(1), timeout))
    }
}

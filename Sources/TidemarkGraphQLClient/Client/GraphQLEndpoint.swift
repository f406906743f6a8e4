import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// A server of GraphQL that is asked by HTTP.
public struct GraphQLEndpoint: Sendable {
    let endpoint: GraphEndpoint

    /// - Parameters:
    ///   - url: The URL of the endpoint.
    ///   - headers: Fields of every request; their values never appear in logs or errors.
    ///   - pendingHeader: The field that carries the id of a mutation's edit, so that events can settle it.
    ///   - timeout: The milliseconds until an answer begins, and between two parts of one.
    /// - Throws: ``CacheError`` `.invalidParams` for a URL or a field that cannot be used.
    public init(
        url: String, headers: [(name: String, value: String)] = [], pendingHeader: String = "Tidemark-Pending-Id",
        timeout: Int64 = 30_000
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
        endpoint = GraphEndpoint(
            url: parsed, fields: fields, pendingField: ByteString(pendingHeader), timeout: max(1, timeout))
    }
}

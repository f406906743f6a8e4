import Tidemark
import TidemarkModel

/// The list of the best photos. Nobody is asked for it: a rule says what belongs to it, and events keep it true.
public struct BestPhotos: QueryUpstream {
    public static let method = "photos.best"

    public init() {}

    public func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        var result = QueryResult(resourceType: "photo", resources: [])
        // Names are those on the wire.
        result.membership = Array(
            #"{"resource_type":"photo","order":[{"path":"/star_count","direction":"desc"}],"limit":10}"#.utf8)
        result.isLocal = true
        return result
    }
}

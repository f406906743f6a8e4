// swift-format-ignore-file
// Generated from docs/doors.md by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkGraphQL
import TidemarkSQLite

/// The program below Library in docs/doors.md. Returns the printed lines.
func doorLibrary(folder: String, url: String) async throws -> [String] {
    var printed: [String] = []
    func print(_ items: Any...) {
        printed.append(items.map { "\($0)" }.joined(separator: " "))
    }
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var stars: Int
    }

    let cache = try await SyncCache.open(path: folder + "/cache.db")
    let event = #"{"ResourceChanged":{"resource_type":"photo","resource":{"id":"1","stars":5}}}"#
    try await cache.ingest(Array(event.utf8))
    print(try await cache.entity(Photo.self, id: "1")?.stars ?? 0)
    try await cache.close()
    return printed
}

/// The program below GraphQL client in docs/doors.md. Returns the printed lines.
func doorGraphqlClient(folder: String, url: String) async throws -> [String] {
    var printed: [String] = []
    func print(_ items: Any...) {
        printed.append(items.map { "\($0)" }.joined(separator: " "))
    }
    let cache = try await SyncCache.open(path: folder + "/heroes.db")
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: url))
    for _ in 1...2 {
        let result = try await client.fetch(query: "{ hero { __typename id name } }")
        print(result.data?["hero"]?["name"]?.string ?? "nobody", result.source)
    }
    try await cache.close()
    return printed
}

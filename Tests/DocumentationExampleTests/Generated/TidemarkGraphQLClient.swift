// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkGraphQLClient
import TidemarkGraphQLStore
import TidemarkHTTP
import TidemarkModel
import TidemarkOperations

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLClient+Reading.swift.
func exampleTidemarkGraphQLClient1(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    let result = try await client.fetch(query: "{ hero { name } }")
    print(result.data?["hero"]?["name"]?.string ?? "nobody", result.source)
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLClient+Reading.swift.
func exampleTidemarkGraphQLClient2(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache)
    let hero = GraphQLDocument("{ hero { name } }")
    try await client.write(["hero": ["name": "Artoo"]], for: hero)
    print(try await client.read(hero)["hero"]?["name"]?.string ?? "nobody")
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLClient+Reading.swift.
func exampleTidemarkGraphQLClient3(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    let like = GraphQLDocument(
        "mutation($id: ID!) { like(id: $id) { __typename id likes } }", variables: ["id": "1"])
    let hoped: JSONValue = ["like": ["__typename": "Song", "id": "1", "likes": 8]]
    let result = try await client.perform(mutation: like, optimistic: hoped)
    print(result.errors.count)
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLClient+Reading.swift.
func exampleTidemarkGraphQLClient4(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    let add = GraphQLDocument("mutation { addSong(name: \"new\") { __typename id name } }")
    let pendingID = try await client.enqueue(
        mutation: add, optimistic: ["addSong": ["__typename": "Song", "id": "temporary-1", "name": "new"]])
    print(pendingID)
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLClient+Reading.swift.
func exampleTidemarkGraphQLClient5(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache)
    try await client.remove(object: "Song:1")
    try await client.remove(field: #"friends({"first":10})"#, of: "Person:7")
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLClient+Transactions.swift.
func exampleTidemarkGraphQLClient6(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache)
    let names = try await client.withinReadTransaction { transaction in
        let hero = try transaction.read("{ hero { name } }" as GraphQLDocument)
        let villain = try transaction.read("{ villain { name } }" as GraphQLDocument)
        return [hero["hero"]?["name"]?.string, villain["villain"]?["name"]?.string]
    }
    print(names)
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLClient+Transactions.swift.
func exampleTidemarkGraphQLClient7(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache)
    let hero = GraphQLDocument("{ hero { name } }")
    try await client.withinReadWriteTransaction { transaction in
        try transaction.update(hero) { (data: inout JSONValue) in
            data = ["hero": ["name": "Artoo"]]
        }
    }
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLClient.swift.
func exampleTidemarkGraphQLClient8(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    for try await result in client.watch(query: "{ hero { name } }") {
        print(result.data?["hero"]?["name"]?.string ?? "nobody")
    }
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLEndpoint.swift.
func exampleTidemarkGraphQLClient9(cache: SyncCache) async throws {
    let endpoint = try GraphQLEndpoint(
        url: "https://example.com/graphql", headers: [("Authorization", "Bearer token")], timeout: .seconds(10))
    let client = try await GraphQLClient(cache, endpoint: endpoint)
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLOperation.swift.
func exampleTidemarkGraphQLClient10(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    let hero = GraphQLDocument("query($e: Episode) { hero(episode: $e) { name } }", variables: ["e": "JEDI"])
    let result = try await client.fetch(query: hero)
    print(result.data?["hero"]?["name"]?.string ?? "nobody")
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLWatch.swift.
func exampleTidemarkGraphQLClient11(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    for try await result in client.watch(query: "{ hero { name } }", cachePolicy: .cacheAndNetwork) {
        print(result.data?["hero"]?["name"]?.string ?? "nobody", result.isStale)
    }
}

/// The example in Sources/TidemarkGraphQLClient/Client/GraphQLWatch.swift.
func exampleTidemarkGraphQLClient12(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    for try await payload in client.subscribe("subscription { songAdded { __typename id name } }") {
        print(payload.data?["songAdded"]?["name"]?.string ?? "unnamed")
    }
}

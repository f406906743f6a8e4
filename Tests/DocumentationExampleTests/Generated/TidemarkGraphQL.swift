// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkGraphQL
import TidemarkGraphQLTypes
import TidemarkHTTP
import TidemarkModel

/// The example in Sources/TidemarkGraphQL/Client/GraphQLClient+Reading.swift.
func exampleTidemarkGraphQL1(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    let result = try await client.fetch(query: "{ hero { name } }")
    print(result.data?["hero"]?["name"]?.string ?? "nobody", result.source)
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLClient+Reading.swift.
func exampleTidemarkGraphQL2(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache)
    let hero = GraphQLDocument("{ hero { name } }")
    try await client.write(["hero": ["name": "Artoo"]], for: hero)
    print(try await client.read(hero)["hero"]?["name"]?.string ?? "nobody")
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLClient+Reading.swift.
func exampleTidemarkGraphQL3(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    let like = GraphQLDocument(
        "mutation($id: ID!) { like(id: $id) { __typename id likes } }", variables: ["id": "1"])
    let hoped: JSONValue = ["like": ["__typename": "Song", "id": "1", "likes": 8]]
    let result = try await client.perform(mutation: like, optimistic: hoped)
    print(result.errors.count)
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLClient+Reading.swift.
func exampleTidemarkGraphQL4(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    let add = GraphQLDocument("mutation { addSong(name: \"new\") { __typename id name } }")
    let pendingID = try await client.enqueue(
        mutation: add, optimistic: ["addSong": ["__typename": "Song", "id": "temporary-1", "name": "new"]])
    print(pendingID)
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLClient+Reading.swift.
func exampleTidemarkGraphQL5(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache)
    try await client.remove(object: "Song:1")
    try await client.remove(field: #"friends({"first":10})"#, of: "Person:7")
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLClient+Transactions.swift.
func exampleTidemarkGraphQL6(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache)
    let names = try await client.withinReadTransaction { transaction in
        let hero = try transaction.read("{ hero { name } }" as GraphQLDocument)
        let villain = try transaction.read("{ villain { name } }" as GraphQLDocument)
        return [hero["hero"]?["name"]?.string, villain["villain"]?["name"]?.string]
    }
    print(names)
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLClient+Transactions.swift.
func exampleTidemarkGraphQL7(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache)
    let hero = GraphQLDocument("{ hero { name } }")
    try await client.withinReadWriteTransaction { transaction in
        try transaction.update(hero) { (data: inout JSONValue) in
            data = ["hero": ["name": "Artoo"]]
        }
    }
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLClient.swift.
func exampleTidemarkGraphQL8(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    for try await result in client.watch(query: "{ hero { name } }") {
        print(result.data?["hero"]?["name"]?.string ?? "nobody")
    }
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLEndpoint.swift.
func exampleTidemarkGraphQL9(cache: SyncCache) async throws {
    let endpoint = try GraphQLEndpoint(
        url: "https://example.com/graphql", headers: [("Authorization", "Bearer token")], timeout: .seconds(10))
    let client = try await GraphQLClient(cache, endpoint: endpoint)
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLOperation.swift.
func exampleTidemarkGraphQL10(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    let hero = GraphQLDocument("query($e: Episode) { hero(episode: $e) { name } }", variables: ["e": "JEDI"])
    let result = try await client.fetch(query: hero)
    print(result.data?["hero"]?["name"]?.string ?? "nobody")
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLWatch.swift.
func exampleTidemarkGraphQL11(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    for try await result in client.watch(query: "{ hero { name } }", cachePolicy: .cacheAndNetwork) {
        print(result.data?["hero"]?["name"]?.string ?? "nobody", result.isStale)
    }
}

/// The example in Sources/TidemarkGraphQL/Client/GraphQLWatch.swift.
func exampleTidemarkGraphQL12(cache: SyncCache) async throws {
    let client = try await GraphQLClient(cache, endpoint: GraphQLEndpoint(url: "https://example.com/graphql"))
    for try await payload in client.subscribe("subscription { songAdded { __typename id name } }") {
        print(payload.data?["songAdded"]?["name"]?.string ?? "unnamed")
    }
}

/// The example in Sources/TidemarkGraphQL/Delivery/DeliveryFormat.swift.
func exampleTidemarkGraphQL13(cache: SyncCache) async throws {
    struct OneItemParser: DeliveryParser {
        mutating func read(_ payload: JSONValue) throws(DeliveryError) -> DeliveryStep {
            var step = DeliveryStep()
            step.data = payload["data"]
            step.hasNext = payload["more"]?.bool ?? false
            return step
        }
    }
    let format = DeliveryFormat(parameter: "deliverySpec", value: "1.0") { OneItemParser() }
    print(format.parameter, format.value)
}

/// The example in Sources/TidemarkGraphQL/Engine/GraphQLReconnecting.swift.
func exampleTidemarkGraphQL14(cache: SyncCache) async throws {
    var reconnecting = GraphQLReconnecting()
    reconnecting.attemptCountMax = 20
    reconnecting.pauseMax = .seconds(10)
    print(reconnecting.pauseMin)  // 1.0 seconds
}

/// The example in Sources/TidemarkGraphQL/Engine/GraphQLSending.swift.
func exampleTidemarkGraphQL15(cache: SyncCache) async throws {
    var sending = GraphQLSending()
    sending.key = "song 1"
    sending.temporaryIDs = ["/id"]
    sending.duration = .seconds(86_400)
    sending.discardsOnFailure = true
}

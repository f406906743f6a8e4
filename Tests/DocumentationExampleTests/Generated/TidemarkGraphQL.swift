// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkGraphQL
import TidemarkModel

/// The example in Sources/TidemarkGraphQL/Policy/CachePolicy+GraphQL.swift.
func exampleTidemarkGraphQL1(cache: SyncCache) async throws {
    var configuration = CacheConfiguration()
    configuration.policy = try CachePolicy(graphQL: "type photo @cacheControl(maxAge: 3600) { name: String }")
}

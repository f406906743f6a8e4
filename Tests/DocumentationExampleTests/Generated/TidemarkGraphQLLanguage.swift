// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel

/// The example in Sources/TidemarkGraphQLLanguage/Policy/CachePolicy+GraphQL.swift.
func exampleTidemarkGraphQLLanguage1(cache: SyncCache) async throws {
    var configuration = CacheConfiguration()
    configuration.policy = try CachePolicy(graphQL: "type photo @cacheControl(maxAge: 3600) { name: String }")
}

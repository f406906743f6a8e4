// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkHTTP
import TidemarkModel
import TidemarkSQLite
import TidemarkScopeFeed

/// The example in Sources/TidemarkScopeFeed/ScopeAddress.swift.
func exampleTidemarkScopeFeed1(cache: SyncCache) async throws {
    let address = try ScopeAddress("https://sync.example", scope: "project", parameters: ["project": "p7"])
}

/// The example in Sources/TidemarkScopeFeed/ScopeFeed.swift.
func exampleTidemarkScopeFeed2(cache: SyncCache) async throws {
    let scopes = ScopeUpstream()
    let cache = try await SyncCache.open(path: "cache.db", upstream: scopes, mutationUpstream: scopes)
    let address = try ScopeAddress("https://sync.example", scope: "project", parameters: ["project": "p7"])
    let feed = ScopeFeed(address, into: cache, through: scopes, transport: CurlTransport()) { "a token" }
    try await feed.run()
}

/// The example in Sources/TidemarkScopeFeed/ScopeUpstream.swift.
func exampleTidemarkScopeFeed3(cache: SyncCache) async throws {
    let scopes = ScopeUpstream()
    let cache = try await SyncCache.open(path: "cache.db", upstream: scopes, mutationUpstream: scopes)
}

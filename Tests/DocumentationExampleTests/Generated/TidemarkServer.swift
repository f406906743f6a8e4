// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel
import TidemarkServer

/// The example in Sources/TidemarkServer/CacheServer.swift.
func exampleTidemarkServer1(cache: SyncCache) async throws {
    let token = try TokenFile(path: "cache.db.token").token()
    let configuration = CacheServerConfiguration(token: token, databasePath: "cache.db")
    let server = CacheServer(cache, configuration: configuration)
    try await server.run()
}

/// The example in Sources/TidemarkServer/Configuration/CacheServerConfiguration.swift.
func exampleTidemarkServer2(cache: SyncCache) async throws {
    let token = try TokenFile(path: "cache.db.token").token()
    var configuration = CacheServerConfiguration(token: token, databasePath: "cache.db", port: 0)
    configuration.limits.connectionCountMax = 100
    let server = CacheServer(cache, configuration: configuration)
    try await server.run()
}

/// The example in Sources/TidemarkServer/Security/AccessToken.swift.
func exampleTidemarkServer3(cache: SyncCache) async throws {
    let token = AccessToken()
    let server = CacheServer(cache, configuration: CacheServerConfiguration(token: token))
    print("Authorization: Bearer \(token.text)")
    try await server.run()
}

/// The example in Sources/TidemarkServer/Security/TokenFile.swift.
func exampleTidemarkServer4(cache: SyncCache) async throws {
    do {
        let token = try TokenFile(path: "cache.db.token").token()
        let server = CacheServer(cache, configuration: CacheServerConfiguration(token: token))
        try await server.run()
    } catch let fault as TokenFile.Fault {
        print(fault.message)
    }
}

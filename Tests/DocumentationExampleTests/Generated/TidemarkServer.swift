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

/// The example in Sources/TidemarkServer/Scopes/ScopeRoutes+Streams.swift.
func exampleTidemarkServer3(cache: SyncCache) async throws {
    func feed(_ scopes: ScopeRoutes, _ identity: ScopeIdentity, send: ([UInt8]) -> Void) async throws {
        for await line in try await scopes.stream("project", ["project": "p1"], for: identity) { send(line) }
    }
}

/// The example in Sources/TidemarkServer/Scopes/ScopeRoutes.swift.
func exampleTidemarkServer4(cache: SyncCache) async throws {
    func serve(_ authenticator: any ScopeAuthenticator) async throws {
        let file = Array(try Data(contentsOf: URL(filePath: "scopes.json")))
        var configuration = CacheServerConfiguration(token: try TokenFile(path: "cache.db.token").token())
        configuration.scopes = try await ScopeRoutes(cache, file: file, authenticator: authenticator)
        try await CacheServer(cache, configuration: configuration).run()
    }
}

/// The example in Sources/TidemarkServer/Security/AccessToken.swift.
func exampleTidemarkServer5(cache: SyncCache) async throws {
    let token = AccessToken()
    let server = CacheServer(cache, configuration: CacheServerConfiguration(token: token))
    print("Authorization: Bearer \(token.text)")
    try await server.run()
}

/// The example in Sources/TidemarkServer/Security/TokenFile.swift.
func exampleTidemarkServer6(cache: SyncCache) async throws {
    do {
        let token = try TokenFile(path: "cache.db.token").token()
        let server = CacheServer(cache, configuration: CacheServerConfiguration(token: token))
        try await server.run()
    } catch let fault as TokenFile.Fault {
        print(fault.message)
    }
}

import ArgumentParser
import TestTraits
import Testing

@testable import TidemarkCommand

/// The options of `serve` that have a default of their own.
@Suite(.pooled) struct ServeOptionsTests {
    @Test func `each stream of scopes has room for its connection, unless a limit is given`() throws {
        let options = try ServeOptions.parse([])
        #expect(options.connectionCount(servesScopes: false) == 1_000)
        #expect(options.connectionCount(servesScopes: true) == 11_000)
        let limited = try ServeOptions.parse(["--max-connections", "20"])
        #expect(limited.connectionCount(servesScopes: true) == 20)
    }
}

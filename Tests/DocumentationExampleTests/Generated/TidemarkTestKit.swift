// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel
import TidemarkTestKit

/// The example in Tests/Support/TidemarkTestKit/Conformance/FramerConformance.swift.
func exampleTidemarkTestKit1(cache: SyncCache) async throws {
    let conformance = FramerConformance(limits: Limits())
    try conformance.check(Array("a\r\nb\n".utf8), seed: 1)
}

/// The example in Tests/Support/TidemarkTestKit/Conformance/GateConformance.swift.
func exampleTidemarkTestKit2(cache: SyncCache) async throws {
    for seed in TestScale.seeds(100) {
        try GateConformance().run(seed: seed)
    }
}

/// The example in Tests/Support/TidemarkTestKit/Conformance/ModelComparison.swift.
func exampleTidemarkTestKit3(cache: SyncCache) async throws {
    let comparison = ModelComparison(limits: Limits(), upstream: nil, seed: 1)
    let stream = Array(#"{"sequence":1,"event":"Refresh"}"#.utf8)
    print(try comparison.differences(of: stream))  // []
}

/// The example in Tests/Support/TidemarkTestKit/Processes/CommandRunner.swift.
func exampleTidemarkTestKit4(cache: SyncCache) async throws {
    let result = try await CommandRunner().run(["generate", "--ids", "3"])
    print(result.status, result.outputLines.count)
}

/// The example in Tests/Support/TidemarkTestKit/Processes/Turnstile.swift.
func exampleTidemarkTestKit5(cache: SyncCache) async throws {
    let turnstile = Turnstile(count: 2)
    let result = try await turnstile.run { try await CommandRunner().run(["--version"]) }
    print(result.outputText)
}

/// The example in Tests/Support/TidemarkTestKit/Servers/RawServer.swift.
func exampleTidemarkTestKit6(cache: SyncCache) async throws {
    let server = try RawServer(always: RawServer.Answer(body: Array("hello".utf8)))
    print(server.url)
    server.stop()
}

/// The example in Tests/Support/TidemarkTestKit/Walks/RandomWalk.swift.
func exampleTidemarkTestKit7(cache: SyncCache) async throws {
    var walk = RandomWalk(seed: 1)
    var subject: Set<Int> = []
    var model: [Int] = []
    while walk.next(of: 100) {
        let value = walk.step * 7 % 10
        walk.note("insert \(value)")
        subject.insert(value)
        if !model.contains(value) { model.append(value) }
        try walk.check(subject.sorted() == model.sorted() ? [] : ["\(subject), not \(model)"])
    }
}

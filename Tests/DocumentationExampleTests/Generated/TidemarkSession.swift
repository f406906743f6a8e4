// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkSession

/// The example in Sources/TidemarkSession/Session/Session.swift.
func exampleTidemarkSession1(cache: SyncCache) async throws {
    let output = OutputQueue(1, hasRoom: {}, isAbandoned: {})
    let settings = Session.Settings(
        limits: cache.configuration.limits, defaultLibrary: "", logger: cache.configuration.logger)
    let session = Session(of: cache, output: output, waiting: WaitingRequests(), settings: settings)
    let request = #"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"#
    let answer = await session.answer(to: Array(request.utf8))
    print(String(decoding: answer ?? [], as: UTF8.self))
}

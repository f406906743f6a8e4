import Foundation
import Logging
import Tidemark
import TidemarkGraphQL
import TidemarkHTTP
import TidemarkLiveViews
import TidemarkMessages
import TidemarkModel
import TidemarkReferenceModel
import TidemarkSession
import TidemarkTestKit
import TidemarkTesting

/// A session with a host that sends anything: a byte of choices, then lines.
///
/// The session ends when its input does. Everything that it writes is JSON-RPC, and each request is answered once,
/// under its own id, as is every line that may have been meant as a request.
enum SessionTarget {
    static let target = FuzzTarget("session", byteCountMax: 2_048, .later(check))

    private static func check(_ bytes: [UInt8]) async throws {
        let choice = bytes.first ?? 0
        let stream = Array(bytes.dropFirst())
        let lines = try await output(of: stream, choice)
        var answered: [String] = []
        for line in lines {
            let value = try ReferenceJSONParser.parse(line, nestingMax: 128)
            guard let elements = value.elements else {
                if let id = try id(answeredBy: value) { answered.append(id) }
                continue
            }
            try require(!elements.isEmpty, "an array without answers is written")
            for element in elements {
                guard let id = try id(answeredBy: element) else {
                    throw FuzzFinding("an array holds what is no answer: \(line.text)")
                }
                answered.append(id)
            }
        }
        let expected = ExpectedAnswers(stream).ids
        try requireEqual(
            answered.sorted(), expected.sorted(), "ids that are answered, by \(lines.map(\.text)) to \(stream.text)")
    }

    /// Returns the id that a message answers.
    ///
    /// - Returns: nil for a call and for a notification.
    private static func id(answeredBy message: ReferenceJSON) throws -> String? {
        guard let members = message.members else { throw FuzzFinding("no message: \(message)") }
        try requireEqual(message.member("jsonrpc")?.description, "\"2.0\"", "the version of \(message)")
        let names = members.map { $0.key.unescaped.text }
        try requireEqual(Set(names).count, names.count, "different members of \(message)")
        let id = message.member("id")?.description
        if message.member("method") != nil {
            try require(message.member("method")?.text != nil, "a method that is no string: \(message)")
            try require(Set(names).isSubset(of: ["jsonrpc", "id", "method", "params"]), "a call: \(message)")
            try require(message.member("params")?.members != nil, "params that are no object: \(message)")
            return nil
        }
        guard let id else { throw FuzzFinding("an answer without an id: \(message)") }
        let isResult = message.member("result") != nil
        try requireEqual(Set(names), ["jsonrpc", "id", isResult ? "result" : "error"], "members of \(message)")
        if let error = message.member("error") {
            try require(
                error.member("code")?.integerText != nil && error.member("message")?.text?.isEmpty == false,
                "an error without a code or a message: \(message)")
        }
        return id
    }

    /// Runs a session over the stream, and returns its output.
    private static func output(of stream: [UInt8], _ choice: UInt8) async throws -> [[UInt8]] {
        let file = try ScratchFile()
        let clock = ManualClock(skipsUpTo: 1_000)
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        if choice & 1 != 0 { configuration.limits.queryCountMax = 1 }
        if choice & 2 != 0 { configuration.limits.layerCountMax = 1 }
        if choice & 4 != 0 { configuration.limits.observerCountMax = 1 }
        if choice & 8 != 0 { configuration.typeAliases = ["entry": "file"] }
        let (room, roomSignal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let input = ChunkInput(stream, seed: UInt64(choice), chunkByteCountMax: 400)
        let outputQueue = OutputQueue(file.descriptor, hasRoom: { roomSignal.yield() }, isAbandoned: { input.stop() })
        let calls = HostCalls(outputQueue, timeout: .seconds(30), clock: clock, logger: configuration.logger)
        let host = HostUpstream(calls, limits: configuration.limits)
        let isAsked = choice & 16 == 0
        let cache = try await SyncCache.open(
            configuration: configuration, journal: MemoryJournal(), upstream: isAsked ? host : nil,
            queryUpstream: isAsked ? host : nil, clock: clock)
        var settings = Session.Settings(
            limits: configuration.limits, defaultLibrary: configuration.defaultLibrary, logger: configuration.logger)
        settings.families = [GraphQLMethods(), ViewMethods(), NetworkMethods(nil), HTTPMethods(nil)]
        let session = Session(of: cache, outputQueue: outputQueue, calls: calls, settings: settings)
        try await session.run(input, room: room)
        return try file.contents().split(separator: 0x0A).map { Array($0) }
    }
}

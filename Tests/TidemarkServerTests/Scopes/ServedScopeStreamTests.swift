import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkLiveScopes
import TidemarkModel
import TidemarkSQLite
import TidemarkScopes
import TidemarkServer
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkServer

/// Streams of scopes beside slow clients, little memory, and other ways to read them.
@Suite(.pooled, .ownThreads) struct ServedScopeStreamTests {
    private typealias Served = ServedScopes

    private static func project(_ id: Int, _ text: String) -> String {
        Served.change("project", #"{"id":"p\#(id)","public":true,"text":"\#(text)"}"#)
    }

    @Test func `a client that reads slowly is sent the last value of what changed meanwhile`() async throws {
        let served = try await ServedScopes()
        let reader = try await served.stream("/scopes/public", as: "u1", receiveByteCount: 4_096)
        _ = try await reader.state()
        let text = String(repeating: "x", count: 20_000)
        for round in 0..<400 { try await served.feed(Self.project(1, "\(round)-\(text)")) }
        try await served.feed(Self.project(2, "last"))
        let lines = try await reader.lines { $0.text.contains(#""text":"last""#) }
        #expect(lines.count < 300)
        for (line, next) in zip(lines, lines.dropFirst()) { #expect(next.previous == line.sequence) }
        try await served.stop()
    }

    @Test func `a client that takes nothing is cut`() async throws {
        var serving = ScopeServingLimits()
        serving.takeMillisecondCount = 500
        serving.waitingByteCountMax = 200_000
        let served = try await ServedScopes(serving: serving)
        let reader = try await served.stream("/scopes/public", as: "u1", receiveByteCount: 4_096)
        _ = try await reader.state()
        let text = String(repeating: "x", count: 100_000)
        for number in 0..<100 { try await served.feed(Self.project(number, text)) }
        while await served.scopes.service.tallies()["public"]?.streamCount != 0 { await Task.yield() }
        try await served.stop()
    }

    @Test func `a stream may be packed, and everything written so far can be unpacked`() async throws {
        let served = try await ServedScopes()
        try await served.feed(Self.project(1, "a"))
        let text = served.head("GET", "/scopes/public", as: "u1", ["Accept-Encoding: br;q=1.0, gzip"])
        let port = served.port
        let bytes = try await onThread { () -> [UInt8] in
            let connection = try RawConnection(port: port)
            connection.write(text)
            let head = try connection.head()
            guard head.field("Content-Encoding") == "gzip" else { throw RawFailure("not packed") }
            let size = try connection.text(through: "\r\n").trimmingCharacters(in: .whitespacesAndNewlines)
            guard let count = Int(size, radix: 16) else { throw RawFailure("no chunk: \(size)") }
            return try connection.take(count: count)
        }
        let inflater = try Inflater(.gzip)
        var unpacked: [UInt8] = []
        try await inflater.append(bytes) { unpacked += $0 }
        #expect(String(decoding: unpacked, as: UTF8.self).contains(#""text":"a""#))
        try await served.stop()
    }

    @Test func `entities in scopes are not evicted, and others are`() async throws {
        let folder = try TemporaryFolder()
        var configuration = CacheConfiguration()
        configuration.memoryByteCountMax = 1
        configuration.eviction.entityCountMax = 3
        let journal = try await SQLiteJournal.open(SQLiteJournal.Configuration(path: folder.path("cache.db")))
        let served = try await ServedScopes(journal: journal, configuration: configuration)
        for number in 0..<20 {
            try await served.feed(Self.project(number, "a"), Served.change("other", #"{"id":"o\#(number)"}"#))
        }
        let state = try await served.stream("/scopes/public", as: "u1").state()
        #expect(state.map(\.text).joined().matches(of: /"id":"p[0-9]+"/).count == 20)
        try await served.feed(Self.project(3, "b"), Served.delete("project", "p4"))
        while await served.cache.statistics().entityCount >= 40 { await Task.yield() }
        try await served.stop()
    }

    @Test func `a program's own protocol is given the lines`() async throws {
        let served = try await ServedScopes()
        try await served.feed(Self.project(1, "a"))
        let identity = try await NamedReaders().authenticate(bearer: "u1", now: .now)
        let lines = try await served.scopes.stream("public", [:], for: identity)
        var read: [String] = []
        for await line in lines {
            read.append(String(decoding: line, as: UTF8.self))
            if read.count == 3 { break }
        }
        #expect(read[1].contains(#""id":"p1""#) && read[2].contains("Heartbeat"))
        await #expect(throws: ScopeRoutes.Refusal.forbidden) {
            _ = try await served.scopes.stream("project", ["project": "p1"], for: identity)
        }
        try await served.stop()
    }
}

import Foundation
import HTTPTypes
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

    @Test(
        arguments: [
            ("br;q=1.0, gzip", "gzip"), ("gzip, zstd", zstd), ("gzip;q=0.9, zstd;q=0.5", "gzip"),
            ("gzip;q=0, zstd", zstd == "zstd" ? "zstd" : nil), ("identity, gzip;q=0", nil),
        ] as [(String, String?)])
    func `a stream may be packed, and everything written so far can be unpacked`(
        accepted: String, coding: String?
    ) async throws {
        let served = try await ServedScopes()
        let filler = String(repeating: "abcdefgh", count: 40_000)
        try await served.feed(Self.project(1, "a"), Self.project(2, filler))
        let text = served.head("GET", "/scopes/public", as: "u1", ["Accept-Encoding: \(accepted)"])
        let port = served.port
        let inflater = try Inflater(Inflater.Coding(coding.map { [$0] } ?? []))
        let reader = try await onThread { () -> ScopeLineReader in
            let connection = try RawConnection(port: port)
            connection.write(text)
            return ScopeLineReader(connection, try connection.head())
        }
        #expect(reader.head.field("Content-Encoding") == coding)
        var unpacked: [UInt8] = []
        func read(through mark: String) async throws {
            while !String(decoding: unpacked, as: UTF8.self).contains(mark) {
                let chunk = try await onThread { () -> [UInt8] in
                    let connection = reader.connection
                    let size = try connection.text(through: "\r\n").trimmingCharacters(in: .whitespacesAndNewlines)
                    guard let count = Int(size, radix: 16) else { throw RawFailure("no chunk: \(size)") }
                    let chunk = try connection.take(count: count)
                    _ = try connection.text(through: "\r\n")
                    return chunk
                }
                try await inflater.append(chunk) { unpacked += $0 }
            }
        }
        try await read(through: "Heartbeat")
        #expect(String(decoding: unpacked, as: UTF8.self).contains(#""text":"\#(filler)""#))
        try await served.feed(Self.project(1, "last"))
        try await read(through: #""text":"last""#)
        try await served.stop()
    }

    /// What is chosen of two codings that are accepted alike.
    private static let zstd = Inflater.Coding.hasZstd ? "zstd" : "gzip"

    @Test func `lines of JSON are the default, also for a client that takes both forms`() {
        func isEvents(_ text: String...) -> Bool {
            var fields = HTTPFields()
            for value in text { fields.append(HTTPField(name: .accept, value: value)) }
            return ScopeText(fields).isEvents
        }
        #expect(!isEvents())
        #expect(!isEvents("*/*"))
        #expect(!isEvents("text/event-stream, application/x-ndjson"))
        #expect(!isEvents("text/event-stream;q=0.5", "application/x-ndjson"))
        #expect(isEvents("text/event-stream"))
        #expect(isEvents("application/x-ndjson;q=0.1, text/event-stream;q=0.2"))
        #expect(!isEvents("text/event-stream;q=0"))
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

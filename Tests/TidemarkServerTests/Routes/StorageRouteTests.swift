import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Answers while a disk fails, over damaged rows, and to exports that are too many.
@Suite(.pooled, .tags(.process)) struct StorageRouteTests {
    @Test func `healthz gives the error of the storage, until the disk works again`() async throws {
        let journal = MemoryJournal()
        let served = try await ServedCache(journal: journal)
        let health = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(served.port)\r\n\r\n"
        let events = served.request(
            "POST", "/events", ["Content-Type: application/x-ndjson"], body: ServedCommand.event("1", sequence: 1))
        await journal.failCommits(StorageError(.diskFull, "no space", advice: "make room"))
        try await onThread {
            let feeding = try served.connect()
            feeding.write(events)
            let asking = try served.connect()
            var answer: RawConnection.Answer
            let end = TestPatience.deadline
            repeat {
                asking.write(health)
                answer = try asking.answer()
            } while answer.status == 200 && .now < end
            #expect(answer.status == 503 && answer.code == "storage_failed")
            #expect(answer.text.contains("no space") && answer.text.contains("make room"))
        }
        await journal.failCommits(nil)
        // An explicit flush does not wait for the next attempt.
        try await served.cache.flush()
        try await onThread {
            let connection = try served.connect()
            connection.write(health)
            #expect(try connection.answer().text == "ok\n")
        }
        try await served.stop()
    }

    @Test func `an export that meets a damaged row breaks off without its last chunk`() async throws {
        try await onThread {
            let folder = try TemporaryFolder()
            let server = try ServedCommand(in: folder)
            try server.feed(ServedCommand.event("1", "whole") + ServedCommand.event("2", "spoiledRow"))
            #expect(try server.ask("GET", "/export").text.contains("spoiledRow"))
            #expect(server.stop().status == 0)
            var bytes = Array(try folder.read("cache.db"))
            let isFlipped = bytes.flip(in: "spoiledRow")
            #expect(isFlipped)
            try folder.write(bytes, to: "cache.db")
            let again = try ServedCommand(in: folder)
            let connection = try again.connect()
            connection.write(again.request("GET", "/export"))
            #expect(try connection.head().status == 200)
            let body = try connection.text(through: "\"whole\"}")
            #expect(!body.contains("spoiled"))
            #expect(throws: RawFailure.self) { try connection.text(through: "\r\n0\r\n\r\n") }
            #expect(connection.isClosed())
            #expect(again.stop().status == 0)
        }
    }

    @Test func `an export too many is refused, until another one has ended`() async throws {
        let server = try await onThread { SendableServer(try ServedCommand()) }
        try await onThread {
            let server = server.value
            let name = String(repeating: "x", count: 4_000)
            try server.feed((1...3_000).map { ServedCommand.event("\($0)", name) }.joined())
            // Readers that take nothing: 12 MB are more than the server and the system hold. On a slow machine one may
            // be cut for that while others come, so that more than four are needed.
            var slow: [RawConnection] = []
            var status = 200
            while status == 200 {
                let connection = try server.connect(receiveByteCount: 4_096)
                connection.write(server.request("GET", "/export"))
                status = try connection.head().status
                guard status == 200 else {
                    #expect(try connection.text(through: "}").contains("overloaded"))
                    break
                }
                slow.append(connection)
                try #require(slow.count < 100)
            }
            #expect(status == 503 && slow.count >= 4)
            slow.removeFirst(slow.count - 3)
            let end = TestPatience.deadline
            while try server.ask("GET", "/export?type=none").status != 200 {
                guard .now < end else { throw RawFailure("an export that ended keeps its place") }
            }
            withExtendedLifetime(slow) {}
            #expect(server.stop().status == 0)
        }
    }
}

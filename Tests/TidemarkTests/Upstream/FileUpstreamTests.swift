import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

@Suite(.pooled) struct FileUpstreamTests {
    private func answer(_ upstream: FileUpstream, since sequence: Int64, of library: ByteString = "a") async throws
        -> String
    {
        String(decoding: try await upstream.events(since: EventSequence(sequence), of: library).lines, as: UTF8.self)
    }

    private func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }

    @Test func `a log is answered from the sequence on, and lines that were appended since are seen`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Lines.bytes([Lines.change(1), Lines.change(2)]), to: "log")
        let upstream = FileUpstream(path: path)
        #expect(try await answer(upstream, since: 2) == text([Lines.change(2)]))
        #expect(try await answer(upstream, since: 3) == "")
        try folder.write(Lines.bytes([Lines.change(1), Lines.change(2), Lines.change(3)]), to: "log")
        #expect(try await answer(upstream, since: 3) == text([Lines.change(3)]))
        #expect(try await answer(upstream, since: 1) == text([Lines.change(1), Lines.change(2), Lines.change(3)]))
    }

    @Test func `a log that twice has nothing new is final`() async throws {
        let folder = try TemporaryFolder()
        let upstream = FileUpstream(path: try folder.write(Lines.bytes([Lines.change(1)]), to: "log"))
        #expect(try await answer(upstream, since: 5) == "")
        let error = await #expect(throws: UpstreamError.self) { try await answer(upstream, since: 5) }
        #expect(error?.isFinal == true)
        try folder.write(Lines.bytes([Lines.change(1), Lines.change(5)]), to: "log")
        #expect(try await answer(upstream, since: 5) == text([Lines.change(5)]))
    }

    @Test func `a missing log may come back`() async throws {
        let folder = try TemporaryFolder()
        let upstream = FileUpstream(path: folder.path("log"))
        #expect(!upstream.isReadable)
        let error = await #expect(throws: UpstreamError.self) { try await answer(upstream, since: 1) }
        #expect(error?.isFinal == false)
        try folder.write(Lines.bytes([Lines.change(1)]), to: "log")
        #expect(upstream.isReadable)
        #expect(try await answer(upstream, since: 1) == text([Lines.change(1)]))
    }

    @Test func `a last line that is still being written counts once it is whole`() async throws {
        let folder = try TemporaryFolder()
        let whole = Lines.bytes([Lines.change(1), Lines.change(2)])
        let upstream = FileUpstream(path: try folder.write(Array(whole.dropLast(9)), to: "log"))
        #expect(try await answer(upstream, since: 1) == text([Lines.change(1)]))
        // The line is complete, but its LF is not there yet.
        try folder.write(Array(whole.dropLast()), to: "log")
        #expect(try await answer(upstream, since: 2) == text([Lines.change(2)]))
        try folder.write(whole + Lines.bytes([Lines.change(3)]), to: "log")
        #expect(try await answer(upstream, since: 2) == text([Lines.change(2), Lines.change(3)]))
    }

    @Test func `events of other libraries and lines without an event are skipped`() async throws {
        let folder = try TemporaryFolder()
        let other = Lines.change(2).replacing("\"library_id\":\"a\"", with: "\"library_id\":\"b\"")
        let nameless = Lines.change(3).replacing("\"library_id\":\"a\",", with: "")
        let lines = ["", "nonsense", Lines.change(1), other, nameless, "\"Pong\"", Lines.change(4)]
        let path = try folder.write(Lines.bytes(lines), to: "log")
        #expect(try await answer(FileUpstream(path: path), since: 1) == text([Lines.change(1), Lines.change(4)]))
        #expect(try await answer(FileUpstream(path: path), since: 1, of: "b") == text([other]))
        #expect(try await answer(FileUpstream(path: path), since: 1, of: "") == text([nameless]))
        #expect(
            try await answer(FileUpstream(path: path, defaultLibrary: "a"), since: 2)
                == text([nameless, Lines.change(4)]))
        #expect(try await answer(FileUpstream(path: path), since: 1, of: "z") == "")
    }
}

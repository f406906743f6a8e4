import Foundation
import TestTraits
import Testing

@testable import TidemarkCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The progress of an ingest, with a clock that the test moves.
@Suite(.pooled) struct ProgressLineTests {
    /// A progress line that writes into a pipe, and its clock.
    private final class Fixture {
        private let pipe = Pipe()
        /// The bytes that were read from the pipe.
        private var bytes: [UInt8] = []
        var time = ContinuousClock.now
        var line: ProgressLine?

        init(columnCount: Int? = 200) throws {
            let reader = pipe.fileHandleForReading.fileDescriptor
            try #require(fcntl(reader, F_SETFL, O_NONBLOCK) == 0)
            line = ProgressLine(
                Output(descriptor: pipe.fileHandleForWriting.fileDescriptor), columnCount: columnCount,
                now: { [unowned self] in time })
        }

        func show(_ milliseconds: Int, lines: Int64, durable: Int64 = 0, held: Int = 0, pending: Int64? = nil) throws {
            time += .milliseconds(milliseconds)
            try line?.show(
                IngestProgress(lineCount: lines, heldCount: held, durableLineCount: durable, pendingCount: pending))
        }

        /// The lines that were shown.
        var shown: [String] {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(pipe.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
                if count <= 0 { break }
                bytes += buffer[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
                .split(separator: "\r\u{1B}[K", omittingEmptySubsequences: false).map(String.init)
        }
    }

    @Test func `a line shows rate, lag and the time that is left, and is due each 200 ms`() throws {
        let fixture = try Fixture()
        try fixture.show(199, lines: 100, pending: 900)
        #expect(fixture.shown == [""])
        try fixture.show(1, lines: 200, durable: 50, pending: 800)
        try fixture.show(100, lines: 300, durable: 300, pending: 700)
        try fixture.show(300, lines: 600, durable: 300, held: 2, pending: 400)
        try fixture.show(200, lines: 1_000, durable: 1_000, pending: 0)
        #expect(
            fixture.shown == [
                "", "200 lines, 1,000/s, 150 not yet durable, 800 behind, 0.80 s left",
                "600 lines, 1,000/s, 300 not yet durable, 400 behind, 0.40 s left, 2 waiting for a gap",
                "1,000 lines, 2,000/s, 0 not yet durable",
            ])
        try fixture.line?.clear()
        #expect(fixture.shown.last == "" && fixture.shown.count == 5)
    }

    @Test func `a long line ends at the edge, and nothing is shown or erased without a terminal`() throws {
        let narrow = try Fixture(columnCount: 20)
        try narrow.show(200, lines: 200)
        #expect(narrow.shown.last?.count == 19)
        let none = try Fixture(columnCount: nil)
        try none.show(1_000, lines: 200)
        try none.line?.clear()
        #expect(none.shown == [""])
    }
}

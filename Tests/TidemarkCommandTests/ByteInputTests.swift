import Foundation
import Testing

@testable import TidemarkCommand

@Suite struct ByteInputTests {
    @Test func `it gives bytes, then nothing yet, then the end`() throws {
        let pipe = Pipe()
        let input = try ByteInput(descriptor: pipe.fileHandleForReading.fileDescriptor)
        #expect(try read(input, waitMilliseconds: 0) == .nothingYet)
        pipe.fileHandleForWriting.write(Data("abc".utf8))
        #expect(try read(input) == .bytes(count: 3))
        #expect(try read(input, waitMilliseconds: 0) == .nothingYet)
        pipe.fileHandleForWriting.closeFile()
        #expect(try read(input) == .end)
        #expect(try read(input) == .end)
    }

    @Test func `a stop ends a read that waits, and every later one`() async throws {
        let pipe = Pipe()
        let input = try ByteInput(descriptor: pipe.fileHandleForReading.fileDescriptor)
        async let piece = read(input)
        input.stop()
        #expect(try await piece == .stopped)
        pipe.fileHandleForWriting.write(Data("abc".utf8))
        #expect(try read(input) == .stopped)
    }

    @Test func `a descriptor that cannot be read says so`() throws {
        // Far above any descriptor that is open here.
        let input = try ByteInput(descriptor: 60_000)
        let failure = #expect(throws: Failure.self) { try read(input) }
        #expect(failure?.status == .inputOutput)
    }

    private func read(_ input: ByteInput, waitMilliseconds: Int32 = 10_000) throws -> ByteInput.Piece {
        try withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
            try input.read(into: buffer, waitMilliseconds: waitMilliseconds)
        }
    }
}

@Suite struct OutputDescriptorTests {
    @Test func `a reader that went away is remembered, not thrown`() throws {
        SignalWatch.ignoreBrokenPipes()
        let pipe = Pipe()
        let output = Output(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        pipe.fileHandleForReading.closeFile()
        try output.writeLine("gone")
        #expect(!output.isClosed)
        try output.flush()
        #expect(output.isClosed)
        try output.writeLine("also gone")
        try output.flush()
    }

    @Test func `what cannot be written is an input or output failure`() throws {
        let output = Output(descriptor: -1)
        try output.writeLine("lost")
        let failure = #expect(throws: Failure.self) { try output.flush() }
        #expect(failure?.status == .inputOutput)
    }

    @Test func `a table lines up and cuts its last column`() throws {
        let pipe = Pipe()
        let output = Output(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        var table = Table([.init(title: "KEY"), .init(title: "SIZE", alignment: .right), .init(title: "TEXT")])
        table.append(["a", "1 B", "short"])
        table.append(["longer\u{1B}", "100 kB", "a text that does not fit"])
        try table.write(to: output, columnCountMax: 27)
        try output.flush()
        pipe.fileHandleForWriting.closeFile()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let expected = """
            KEY        SIZE  TEXT
            a           1 B  short
            longer\u{FFFD}  100 kB  a text th…

            """
        #expect(text == expected)
    }
}

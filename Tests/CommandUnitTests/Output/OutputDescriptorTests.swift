import Foundation
import TestTraits
import Testing

@testable import TidemarkCommand

@Suite(.pooled) struct OutputDescriptorTests {
    @Test func `a closed reader is remembered, not thrown`() throws {
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

    @Test func `a write that fails is an input or output failure`() throws {
        let output = Output(descriptor: -1)
        try output.writeLine("lost")
        let failure = #expect(throws: Failure.self) { try output.flush() }
        #expect(failure?.status == .inputOutput)
    }

    @Test func `a table aligns its columns and cuts the last one`() throws {
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

import Dispatch
import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkTesting

@Suite(.pooled) struct DescriptorInputTests {
    private func read(_ input: DescriptorInput, byteCountMax: Int = 64) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: byteCountMax)
        let count = try buffer.withUnsafeMutableBytes { try input.read(into: $0) }
        return Array(buffer[..<count])
    }

    @Test func `an input returns the bytes as they come, then the end`() throws {
        let pipe = Pipe()
        let input = try DescriptorInput(pipe.fileHandleForReading.fileDescriptor)
        #expect(!input.hasUnread())
        try pipe.fileHandleForWriting.write(contentsOf: Data("hello".utf8))
        #expect(input.hasUnread())
        #expect(try read(input, byteCountMax: 3) == Array("hel".utf8))
        #expect(try read(input) == Array("lo".utf8))
        #expect(!input.hasUnread())
        try pipe.fileHandleForWriting.close()
        #expect(input.hasUnread())
        #expect(try read(input) == [])
        #expect(!input.wasStopped)
    }

    @Test func `stopping ends a read that waits, and every later one`() async throws {
        let pipe = Pipe()
        let input = try DescriptorInput(pipe.fileHandleForReading.fileDescriptor)
        async let waiting: Int = withCheckedContinuation { continuation in
            DispatchQueue(label: "reader").async {
                var buffer = [UInt8](repeating: 0, count: 8)
                let count = buffer.withUnsafeMutableBytes { space in
                    do throws(InputError) { return try input.read(into: space) } catch { return -1 }
                }
                continuation.resume(returning: count)
            }
        }
        input.stop()
        input.stop()
        #expect(await waiting == 0)
        try pipe.fileHandleForWriting.write(contentsOf: Data("late".utf8))
        #expect(try read(input) == [])
        #expect(!input.hasUnread())
        #expect(input.wasStopped)
    }

    @Test func `a descriptor that cannot be read is an error`() throws {
        let folder = try TemporaryFolder()
        let handle = try #require(FileHandle(forReadingAtPath: folder.path))
        let input = try DescriptorInput(handle.fileDescriptor)
        #expect(throws: InputError.self) { try read(input) }
    }
}

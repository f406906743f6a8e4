import Foundation
import TidemarkTestKit
import TidemarkTesting

/// The resident memory of a session with a small cache.
enum FootprintSuite {
    private static let entityCount = 10_000
    private static let entityByteCount = 1_000
    private static let listCount = 100

    static func run(into report: inout Report) async throws {
        guard FileManager.default.fileExists(atPath: "/proc/self/status") else { return }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tidemark-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
        }
        let session = try PipedProcess(
            try CommandRunner().executable, ["run", "--db", folder.appending(path: "cache.db").path])
        let answers = AnswerCount()
        session.read { line, _ in if line.starts(with: Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)) { answers.add() } }
        session.write(flush)
        answers.wait(for: 1)
        let empty = try residentByteCount(session.identifier)
        var lines: [UInt8] = []
        for index in 0..<entityCount {
            lines +=
                "{\"sequence\":\(index + 1),\"event\":{\"ResourceChanged\":{\"resource_type\":\"file\",\"resource\":"
                .utf8
            lines += resource(index)
            lines += "}}}\n".utf8
        }
        let perList = entityCount / listCount
        for list in 0..<listCount {
            lines +=
                ("{\"jsonrpc\":\"2.0\",\"id\":\"p\(list)\",\"method\":\"query.put\",\"params\":{\"method\":\"sample.list\","
                + "\"input\":{\"n\":\(list)},\"resource_type\":\"file\",\"resources\":[").utf8
            for index in list * perList..<(list + 1) * perList {
                if index > list * perList { lines.append(UInt8(ascii: ",")) }
                lines += resource(index)
            }
            lines += "]}}\n".utf8
        }
        session.write(lines)
        session.write(flush)
        answers.wait(for: listCount + 2)
        // A session frees the memory that only writing needs after half a second without a write.
        usleep(2_000_000)
        let full = try residentByteCount(session.identifier)
        session.finish()
        report.add(
            name: "10,000 entities of 1 KB, 100 lists", value: Double(full - empty) / 1e6, unit: "MB", goal: 15,
            hash: UInt64(lines.count))
    }

    private static let flush = Array("{\"jsonrpc\":\"2.0\",\"id\":\"flush\",\"method\":\"cache.flush\"}\n".utf8)

    /// Returns a resource with words that compress about as real text does.
    private static func resource(_ index: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(index))
        var bytes = Sample.resource(index, version: 0)
        bytes.removeLast()
        bytes += ",\"text\":\"".utf8
        while bytes.count < entityByteCount - 2 {
            let word = random.below(2_000)
            bytes += "\(String(word &* 2_654_435_761 % 1_679_616, radix: 36)) ".utf8
        }
        bytes.removeLast(bytes.count - (entityByteCount - 2))
        return bytes + "\"}".utf8
    }

    /// Returns the resident memory of a process, in bytes; 0 if the system does not report it.
    private static func residentByteCount(_ process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
    }
}

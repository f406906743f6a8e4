import Foundation
import TestTraits
import Testing

/// The input for measurements of peers, and one peer: a small size that runs in an instant.
@Suite(.pooled) struct PeerTests {
    private static let scripts = Tree.url("Benchmarks/Peers")
    private static let fileNames = [
        "load.ndjson", "update.ndjson", "delete.ndjson", "all.ndjson", "queries.json", "paced.ndjson", "touch.ndjson",
        "expected.json",
    ]

    private static let hasPython: Bool = {
        do {
            // The scripts need Python 3.11.
            try run(["-c", "import hashlib; hashlib.file_digest"])
            return true
        } catch {
            return false
        }
    }()

    private struct Failure: Error {
        var arguments: [String]
        var status: Int32
        var output: String
    }

    @discardableResult
    private static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                arguments: arguments, status: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self))
        }
        return bytes
    }

    private static func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tidemark-peers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch {
                Issue.record(error, "left behind: \(folder)")
            }
        }
        try body(folder)
    }

    private static func writeWorkload(_ folder: URL) throws {
        try run([scripts.appending(path: "workload.py").path, "--smoke", folder.path])
    }

    @Test(.enabled(if: hasPython)) func `the input of peers is the same bytes every time`() throws {
        try PeerTests.inFolder { folder in
            let folders = ["a", "b"].map { folder.appending(path: $0) }
            for folder in folders { try PeerTests.writeWorkload(folder) }
            for name in PeerTests.fileNames {
                let bytes = try folders.map { try Data(contentsOf: $0.appending(path: name)) }
                #expect(!bytes[0].isEmpty && bytes[0] == bytes[1], "\(name) differs")
            }
        }
    }

    @Test(.enabled(if: hasPython)) func `the expected notifications are counted right, and the peer sends them`() throws
    {
        try PeerTests.inFolder { folder in
            try PeerTests.writeWorkload(folder)
            let lists = try #require(
                try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: "queries.json")))
                    as? [[String]])
            let counted = try Counted(folder.appending(path: "all.ndjson"), lists: lists)
            let expected = try object(Data(contentsOf: folder.appending(path: "expected.json")))
            #expect(expected["notifications"] as? Int == counted.pairCount)
            #expect(expected["entities"] as? Int == counted.ids.count)
            #expect(expected["lists"] as? Int == lists.count)
            #expect(counted.pairCount > 0)
            // Changes after the deletes concern existing entities only.
            let paced = try Counted(folder.appending(path: "paced.ndjson"), lists: lists, isNew: false)
            #expect(paced.ids.isSubset(of: counted.ids))
            #expect((expected["pairs"] as? [String: Int])?["paced"] == paced.pairCount)

            let scratch = folder.appending(path: "scratch")
            try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
            let script = PeerTests.scripts.appending(path: "python_peer.py").path
            let figures = try object(PeerTests.run([script, folder.path, scratch.path, "--store", "sqlite"]))
            #expect(figures["notifications"] as? Int == counted.pairCount)
            #expect(figures["observers"] as? Int == lists.count)
        }
    }

    private func object(_ json: Data) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    }

    /// Counts by scanning every list for every event.
    private struct Counted {
        /// The ids that exist at the end.
        var ids: Set<String> = []
        var pairCount = 0

        /// - Parameter isNew: Whether the first line of an id is not a change.
        init(_ file: URL, lists: [[String]], isNew: Bool = true) throws {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let id = try #require(line.firstMatch(of: /"(?:id|resource_id)":"([0-9a-f-]{36})"/)).1
                let isDeleted = line.contains("\"ResourceDeleted\"")
                if !isNew || isDeleted || ids.contains(String(id)) {
                    for list in lists where list.contains(where: { $0 == id }) { pairCount += 1 }
                }
                if isDeleted { ids.remove(String(id)) } else { ids.insert(String(id)) }
            }
        }
    }
}

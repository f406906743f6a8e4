import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

#if canImport(Glibc)
    import Glibc
#endif

/// The command at its limits, as a child process. Small sizes in every run; `make load-test` uses full sizes.
@Suite(.pooled(minutes: 600), .tags(.process)) struct LoadTests {
    private let size = LoadSize.current

    private func reader(_ folder: TemporaryFolder, _ arguments: [String]) async throws -> CommandResult {
        let result = try await CommandRunner().run(
            arguments + ["--db", folder.path("a.db")], deadline: .seconds(600))
        #expect(result.status == 0, "\(arguments): \(result.errorText)")
        return result
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// Returns the counters of a database for its events.
    private func bins(_ folder: TemporaryFolder) async throws -> [String: Int] {
        let stats = try object(try await reader(folder, ["stats", "--json"]).outputText)
        return try #require(stats["events"] as? [String: Int])
    }

    /// Returns the reasons in quarantine, the oldest first.
    private func reasons(_ folder: TemporaryFolder) async throws -> [String] {
        let list = try await reader(folder, ["quarantine", "list", "--json", "--limit", "10000"])
        let object = try object(list.outputText)
        let records = try #require(object["quarantine"] as? [[String: Any]])
        return records.compactMap { $0["reason"] as? String }
    }

    // MARK: Lines

    @Test(arguments: LoadChild.Kind.allCases)
    func `a line without an end takes no memory, and the next one is read`(kind: LoadChild.Kind) async throws {
        let folder = try TemporaryFolder()
        let size = size
        let (before, after) = try await onThread {
            let child = try LoadChild(kind, folder.path("a.db"))
            child.feed(LoadLines.change(1))
            try child.settle()
            let before = try child.peakByteCount()
            child.feed(Array((#"{"library_id":"a","sequence":2,"event":{"ResourceChanged":{"x":""#).utf8), lines: 0)
            let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            for number in 0..<size.longLineByteCount / chunk.count {
                child.feed(chunk, lines: 0)
                if number % 128 == 127 { LoadSize.tell("\(kind): \(number + 1) MiB of one line") }
            }
            child.feed([0x0A], lines: 1)
            // The content of that line has no place in the log, so no host is asked for it.
            child.feed(LoadLines.change(2, id: "next"))
            try child.settle()
            let after = try child.peakByteCount()
            try child.finish()
            return (before, after)
        }
        LoadSize.tell("\(kind): \(before >> 20) MiB before the line, \(after >> 20) after it")
        #expect(after - before <= LoadSize.lineMemoryByteCountMax, "\(before >> 20) MiB, then \(after >> 20)")
        #expect(try await reasons(folder) == ["too_long"])
        let next = try await reader(folder, ["get", "file:next"])
        #expect(next.outputText == #"{"id":"next","n":2}"# + "\n")
        let bins = try await bins(folder)
        #expect(bins["applied"] == 2 && bins["quarantined"] == 1, "\(bins)")
    }

    @Test(arguments: LoadChild.Kind.allCases)
    func `lines that cannot be used are all counted, the newest kept, and nothing else is lost`(
        kind: LoadChild.Kind
    ) async throws {
        let folder = try TemporaryFolder()
        let size = size
        let (wanted, before, after) = try await onThread {
            var random = SeededGenerator(seed: 5)
            var wanted: [String] = []
            let child = try LoadChild(kind, folder.path("a.db"))
            child.feed(LoadLines.change(1, id: "first"))
            try child.settle()
            let before = try child.peakByteCount()
            var rest = size.rubbishLineCount
            while rest > 0 {
                let count = min(rest, 1_000)
                var chunk: [UInt8] = []
                for _ in 0..<count {
                    let (bytes, reason) = LoadLines.rubbish(&random)
                    chunk += bytes + [0x0A]
                    wanted.append(reason)
                }
                child.feed(chunk, lines: count)
                rest -= count
                if rest % 100_000 == 0 { LoadSize.tell("\(kind): \(rest) lines of rubbish to go") }
            }
            child.feed(LoadLines.change(2, id: "last"))
            try child.settle()
            let after = try child.peakByteCount()
            try child.finish()
            return (wanted, before, after)
        }
        LoadSize.tell("\(kind): \(before >> 20) MiB before, \(after >> 20) after")
        let isSame = try await reasons(folder) == wanted.suffix(10_000)
        #expect(isSame)
        let bins = try await bins(folder)
        #expect(bins["applied"] == 2 && bins["quarantined"] == wanted.count, "\(bins)")
        #expect(try await reader(folder, ["get", "file:last"]).outputText == #"{"id":"last","n":2}"# + "\n")
        // The bound is twice the data that waits for a flush, and the part of each line that quarantine keeps.
        #expect(after - before <= 256 << 20, "\(before >> 20) MiB, then \(after >> 20)")
    }

    @Test(arguments: LoadChild.Kind.allCases)
    func `a line that is too deep is refused, whatever its content`(kind: LoadChild.Kind) async throws {
        let folder = try TemporaryFolder()
        let size = size
        let (depths, isAlive) = try await onThread {
            let child = try LoadChild(kind, folder.path("a.db"))
            var depths = 0
            let (open, close) = (String(repeating: "[", count: size.depth), String(repeating: "]", count: size.depth))
            let objects = String(repeating: #"{"a":"#, count: size.depth)
            for value in [open + close, objects + "1" + String(repeating: "}", count: size.depth), open, objects] {
                child.feed(LoadLines.change(depths + 2, rest: #","d":\#(value)"#))
                child.feed(value)
                depths += 2
            }
            child.feed(LoadLines.change(1, id: "next", library: "b"))
            try child.settle()
            var isAlive = true
            if kind == .run {
                // A request is a line as well: it is refused as a line, and the session continues.
                child.feed(#"{"jsonrpc":"2.0","id":"deep","method":"entity.get","params":\#(open + close)}"#)
                isAlive = try child.ask("entity.get", #"{"library_id":"b","resource_type":"file","id":"next"}"#)
                    .contains(#""n":1"#)
            }
            try child.finish()
            return (depths, isAlive)
        }
        #expect(isAlive)
        // Text with unclosed containers is not JSON, and may be found to be too deep first.
        let reasons = try await reasons(folder)
        #expect(Set(reasons).isSubset(of: ["too_deep", "not_json"]), "\(reasons)")
        #expect(reasons.count { $0 == "too_deep" } >= depths / 2, "\(reasons)")
        #expect(try await reader(folder, ["get", "file:next"]).outputText == #"{"id":"next","n":1}"# + "\n")
    }

    // MARK: Counts

    @Test(arguments: LoadChild.Kind.allCases)
    func `ten thousand libraries are accepted, and one more is refused`(kind: LoadChild.Kind) async throws {
        let folder = try TemporaryFolder()
        let refusal = try await onThread {
            let child = try LoadChild(kind, folder.path("a.db"))
            var bytes: [UInt8] = []
            for library in 0...LoadSize.libraryCount {
                bytes += Array((LoadLines.change(1, library: "l\(library)") + "\n").utf8)
            }
            child.feed(bytes, lines: LoadSize.libraryCount + 1)
            child.feed(LoadLines.change(2, library: "l5"))
            try child.settle()
            var refusal: String?
            if kind == .run {
                refusal = try child.ask(
                    "cache.transaction",
                    #"{"library_id":"more","operations":[{"op":"put","resource_type":"file","resource":{"id":"x"}}]}"#)
            }
            try child.finish()
            return refusal
        }
        if let refusal { #expect(refusal.contains("limit_exceeded") && refusal.contains("librar"), "\(refusal)") }
        let list = try await reader(folder, ["quarantine", "list", "--json"])
        #expect(try await reasons(folder) == ["too_many_libraries"])
        #expect(list.outputText.contains(#""library_id":"l10000""#))
        let gaps = try object(try await reader(folder, ["gaps", "--json"]).outputText)
        let libraries = try #require(gaps["libraries"] as? [String: [String: Any]])
        #expect(libraries.count == LoadSize.libraryCount)
        #expect(libraries["l5"]?["sequence"] as? Int == 2)
        #expect(libraries["l9999"]?["sequence"] as? Int == 1)
        let bins = try await bins(folder)
        #expect(bins["applied"] == LoadSize.libraryCount + 1 && bins["quarantined"] == 1, "\(bins)")
    }

    @Test(arguments: LoadChild.Kind.allCases)
    func `a batch of 100,000 members is applied whole, and one of 100,001 is refused whole`(
        kind: LoadChild.Kind
    ) async throws {
        let folder = try TemporaryFolder()
        try await onThread {
            let child = try LoadChild(
                kind, folder.path("a.db"), ["--upstream", kind == .run ? "none" : "file:/dev/null"])
            child.feed(LoadLines.batch(1, members: LoadSize.memberCount), lines: 1)
            try child.settle()
            child.feed(LoadLines.batch(2, members: LoadSize.memberCount + 1), lines: 1)
            child.feed(LoadLines.change(3, id: "next"))
            try child.finish()
        }
        #expect(try await reasons(folder) == ["batch_too_large"])
        #expect(try await reader(folder, ["get", "file:m99999"]).outputText == #"{"id":"m99999","n":1}"# + "\n")
        #expect(try await reader(folder, ["get", "file:next"]).outputText == #"{"id":"next","n":3}"# + "\n")
        let stats = try object(try await reader(folder, ["stats", "--json"]).outputText)
        #expect(stats["entities"] as? Int == LoadSize.memberCount + 1)
        let bins = try await bins(folder)
        #expect(bins["applied"] == 2 && bins["quarantined"] == 1, "\(bins)")
    }
}

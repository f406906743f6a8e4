import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting
import TidemarkWire

/// Lines of recordings: a written line is read back, and a damaged one is reported with its place.
@Suite(.pooled) struct RecordingFormatTests {
    private static func setup() -> RecordingSetup {
        var configuration = CacheConfiguration()
        configuration.defaultLibrary = "h\u{E9}\"\n"
        configuration.typeAliases = ["entry": "file"]
        configuration.reorderWindow = .milliseconds(7)
        configuration.limits.heldEventCountMax = 3
        configuration.eviction.keptTypes = ["a", "b"]
        configuration.eviction.keptFields = ["file": ["name", "size"]]
        configuration.diskExcludedTypes = ["online"]
        return RecordingSetup(
            configuration, command: "run", openedAt: 1_700_000_000_123, base: .empty, hasUpstream: true,
            policy: Array("type A @cacheControl(maxAge: 1) { b: Int }".utf8))
    }

    private static let key = EntityKey(library: "l\u{0}", type: "file", id: "\u{E9}:\"x\"")

    private static func steps() throws -> [RecordedStep] {
        var result = QueryResult(resourceType: "file", resources: [Array(#"{"id":"1","n":1.10}"#.utf8)])
        result.included = [.init(resourceType: "tag", resources: [Array(#"{"id":"t"}"#.utf8)])]
        result.timeToLive = .milliseconds(1_500)
        result.asOf = EventSequence(9)
        result.membership = Array(#"{"resource_type":"file"}"#.utf8)
        result.tags = Array(#"["x"]"#.utf8)
        let query = try QueryKey(library: "l", method: "m", input: Array(#"{"b":1.10,"a":null}"#.utf8))
        var expecting = TransactionExpectations()
        expecting.sequences = [0: EventSequence(4), 1: nil]
        expecting.resources = [key: Array("{}".utf8), EntityKey(library: "", type: "tag", id: "2"): nil]
        var invalidation = Invalidation(library: "l")
        invalidation.hints = Array(#"{"a":1}"#.utf8)
        let operations: [TransactionOperation] = [
            .put(type: "file", resource: Array(#"{"id":"1"}"#.utf8)),
            .patch(type: "file", id: "1", fields: Array(#"{"a":1e5}"#.utf8), unset: ["b"]),
            .delete(type: "file", id: "\u{E9}"), .removeField(type: "file", id: "1", field: "c"),
            .remove(type: "file", ids: ["1", "2"], matching: "%"), .remove(type: nil, ids: nil, matching: "x"),
        ]
        let commit = OptimisticCommit(
            pendingID: "p", library: "l", confirmed: [Array(#"{"id":"1"}"#.utf8)], resourceType: "file",
            sequence: EventSequence(12), realIDs: ["t": "1"])
        return [
            .gaps(.none), .gaps(.window), .gaps(.endless),
            .failure(library: "l", attempt: 3, random: 0.1234567890123, isFinal: true, message: "no\nmore"),
            .resumption(library: "", attempt: 1), .postponement(library: "l", attempt: 2),
            .transaction(operations, library: "l", expecting: expecting),
            .removal([key]), .clearing(library: nil), .clearing(library: "l"), .fetch(7, library: "l"), .fetchEnd(7),
            .deletion(key, asOf: EventSequence(9), fetch: 7), .deletion(key, asOf: nil, fetch: nil),
            .renewal(result, query, asOf: EventSequence(3), fetch: 7), .renewal(result, query, asOf: nil, fetch: nil),
            .result(result, query, fetch: 7),
            .result(result, query, fetch: nil), .invalidation(invalidation),
            .invalidation(Invalidation(library: "")),
            .update(
                OptimisticUpdate(
                    pendingID: "p", library: "l", operations: Array(operations.prefix(4)), dependsOn: ["q"])),
            .commit(commit), .commit(OptimisticCommit(pendingID: "p", library: nil, confirmed: [])),
            .rollBack("p", library: nil), .rollBack("p", library: "l"),
            .leaving(evicted: [key], reduced: [key], queries: [query]),
        ]
    }

    /// Returns an entry that is written, read, and written again.
    private func again(_ entry: RecordedEntry, limits: Limits = Limits()) throws -> [UInt8] {
        let decoder = try EntryDecoder(limits: limits, defaultLibrary: "")
        guard case .entry(let step, let at, let outcome) = try decoder.line(JSONSlice(validated: entry.line[...]))
        else {
            Issue.record("it is no entry")
            return []
        }
        #expect(outcome == entry.outcome.json)
        return RecordedEntry(step: step, at: at, outcome: entry.outcome, toldCount: entry.toldCount).line
    }

    @Test func `a first line reads back as it was written`() throws {
        var setup = Self.setup()
        setup.attempts = ["l": 3]
        setup.droppedCount = 7
        let read = try RecordingSetup(JSONSlice(validated: setup.line[...]))
        #expect(read.line == setup.line)
        #expect(read.configuration(policy: CachePolicy()).limits.heldEventCountMax == 3)
    }

    @Test func `every step reads back as it was written, on one line`() throws {
        var outcome = RecordedOutcome()
        outcome.counts.applied = 2
        outcome.pendingCount = 0
        outcome.refusal = "because"
        outcome.libraries = [
            RecordedOutcome.Place(
                library: "l", epoch: "e", sequence: EventSequence(3), phase: .stale,
                lost: [LostRange(first: EventSequence(1), last: EventSequence(2))])
        ]
        for step in try Self.steps() {
            let entry = RecordedEntry(step: step, at: -5, outcome: outcome, toldCount: 3)
            #expect(!entry.line.contains(0x0A))
            let text = String(decoding: try again(entry), as: UTF8.self)
            #expect(text == String(decoding: entry.line, as: UTF8.self))
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `lines read back byte for byte, whatever their content`(seed: UInt64) throws {
        var options = GeneratedStreamOptions()
        options.lineCount = 60
        options.hasEpochs = true
        options.lineByteCountMax = 900
        var limits = Limits()
        limits.lineByteCountMax = 900
        limits.quarantineByteCountMax = 64
        var generator = StreamGenerator(seed: seed, options: options)
        let stream = generator.generate().stream
        let origins: [LineOrigin] = [.producer, .log, .reader]
        let origin = origins[Int(seed) % origins.count]
        for batch in try EventDecoder(limits: limits).batches(of: stream, input: InputID(3), origin: origin) {
            let events = batch.events.isEmpty ? [0..<0] : batch.events.indices.map { $0..<$0 + 1 }
            for range in events {
                let entry = RecordedEntry(
                    step: .lines(batch, events: range), at: 1, outcome: RecordedOutcome(), toldCount: 0)
                let first = String(decoding: entry.line, as: UTF8.self)
                #expect(String(decoding: try again(entry, limits: limits), as: UTF8.self) == first, "seed \(seed)")
            }
        }
    }

    // MARK: Files

    private func file(_ lines: [String], _ folder: TemporaryFolder, endsLine: Bool = true) throws -> String {
        let text = String(decoding: Self.setup().line, as: UTF8.self) + "\n" + lines.joined(separator: "\n")
        return try folder.write(Array((text + (endsLine ? "\n" : "")).utf8), to: "a.rec")
    }

    private static let gap = #"{"step":"gaps","at":5,"patience":"none","outcome":{}}"#

    @Test func `a cut last line ends the recording, and is reported`() throws {
        let folder = try TemporaryFolder()
        let reader = try RecordingReader(
            try file([Self.gap, Self.gap, String(Self.gap.dropLast(4))], folder, endsLine: false))
        #expect(try reader.next()?.number == 1)
        let second = try #require(try reader.next())
        #expect(second.line == 3)
        #expect(try reader.next() == nil)
        #expect(reader.tornLine?.code == .torn)
        #expect(reader.tornLine?.line == 4)
        #expect(reader.tornLine?.offset == second.offset + Int64(Self.gap.utf8.count) + 1)
    }

    @Test(arguments: [
        "nonsense", #"{"step":"unheard","at":1}"#, #"{"step":"gaps","patience":"none"}"#, "{}", "[]",
        #"{"step":"lines","at":1,"lines":[{"line":1}]}"#, #"{"base":"***"}"#,
    ])
    func `a line that cannot be used is reported with its place`(line: String) throws {
        let folder = try TemporaryFolder()
        let reader = try RecordingReader(try file([Self.gap, line, Self.gap], folder))
        let first = try #require(try reader.next())
        let error = #expect(throws: RecordingError.self) { _ = try reader.next() }
        #expect(error?.code == .badLine)
        #expect(error?.line == 3)
        #expect(error?.offset == first.offset + Int64(Self.gap.utf8.count) + 1)
    }

    @Test func `a file that is not a recording, or a newer one, is refused`() throws {
        let folder = try TemporaryFolder()
        #expect(throws: RecordingError.self) { try RecordingReader(folder.path("none")) }
        for text in ["", "{}", "[", #"{"recording":2,"command":"run"}"#, #"{"recording":1}"#] {
            let path = try folder.write(Array(text.utf8), to: "b.rec")
            let error = #expect(throws: RecordingError.self) { try RecordingReader(path) }
            #expect(error?.code == .badLine)
        }
        #expect(try !RecordingReader.isRecording(try folder.write(Array(#"{"ResourceChanged":{}}"#.utf8), to: "c")))
    }

    @Test func `a file that is not a recording is not overwritten`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Array("dear to me".utf8), to: "letter")
        #expect(throws: RecordingError.self) {
            _ = try RecordingWriter(path, setup: Self.setup(), limit: 1 << 20) { _ in }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("dear to me".utf8))
    }
}

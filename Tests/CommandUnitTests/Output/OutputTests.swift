import TestTraits
import Testing
import TidemarkModel
import TidemarkJSON

@testable import Tidemark
@testable import TidemarkCommand

@Suite(.pooled) struct OutputTests {
    @Test func `JSON keeps resources as they are and escapes names`() {
        var line = JSONLine()
        line.object { line in
            line.member("a\"\u{1}\\", json: Array("{\"n\":1.10}".utf8))
            line.member("none", json: nil as [UInt8]?)
            line.member("sequence", nil as EventSequence?)
            line.name("list")
            line.array { line in
                line.value(1)
                line.object { _ in }
                line.array { _ in }
                line.value("é\u{2028}")
            }
            line.member("seconds", thousandths: 1_042)
            line.member("yes", true)
        }
        let expected =
            "{\"a\\\"\\u0001\\\\\":{\"n\":1.10},\"none\":null,\"sequence\":null,"
            + "\"list\":[1,{},[],\"é\u{2028}\"],\"seconds\":1.042,\"yes\":true}"
        #expect(String(decoding: line.bytes, as: UTF8.self) == expected)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000")])
    func `large counts print with a separator every three digits`(value: Int, text: String) {
        #expect(HumanText.count(value) == text)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_249, "1.2 kB"), (99_949, "99.9 kB"), (100_000, "100 kB"),
        (999_949, "999 kB"), (1_500_000, "1.5 MB"), (23_000_000_000, "23.0 GB"),
    ])
    func `sizes print with three significant digits`(value: Int, text: String) {
        #expect(HumanText.byteCount(value) == text)
    }

    @Test(
        arguments: [
            (0, "0.00 s"), (1_234, "1.23 s"), (12_345, "12.3 s"), (65_000, "1 min 5 s"), (7_380_000, "2 h 3 min"),
        ] as [(Int64, String)])
    func `durations print in a short form`(milliseconds: Int64, text: String) {
        #expect(HumanText.duration(milliseconds: milliseconds) == text)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_769_076_334_149, "2026-01-22T10:05:34.149Z"), (-1, "1970-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func `moments are printed in UTC`(milliseconds: Int64, text: String) {
        #expect(HumanText.timestamp(milliseconds: milliseconds) == text)
    }

    @Test func `an error line is one line`() {
        let failure = Failure(.locked, "locked", "it is\nlocked", place: "a.db", advice: "wait")
        #expect(failure.line == "tidemark: locked: it is\u{FFFD}locked; a.db; wait")
    }

    @Test func `the summary has the shape that the protocol gives it`() {
        var summary = IngestSummary()
        summary.counts.lines = 12
        summary.counts.applied = 9
        summary.counts.blank = 1
        summary.counts.quarantined = 2
        summary.entityCount = 5
        summary.libraries = [
            LibraryStatus(
                library: "home", epoch: "", cursor: EventSequence(9), phase: .stale,
                lost: [LostRange(first: EventSequence(3), last: EventSequence(4))]),
            LibraryStatus(library: "new", epoch: "b", cursor: nil, phase: .cold, lost: []),
        ]
        summary.milliseconds = 1_500
        summary.databaseByteCount = 4_096
        let expected =
            "{\"lines\":12,\"events\":{\"applied\":9,\"duplicate\":0,\"ignored\":0,\"quarantined\":2,\"held\":0},"
            + "\"members_quarantined\":0,\"reconciled\":0,\"late\":0,\"blank\":1,\"control\":0,\"messages\":0,\"entities\":5,"
            + "\"libraries\":{\"home\":{\"epoch\":\"\",\"sequence\":9,\"state\":\"stale\",\"lost\":[[3,4]]},"
            + "\"new\":{\"epoch\":\"b\",\"sequence\":null,\"state\":\"cold\",\"lost\":[]}},"
            + "\"seconds\":1.500,\"events_per_second\":7,\"db_bytes\":4096"
        #expect(String(decoding: summary.json, as: UTF8.self) == expected + "}")
        summary.isInterrupted = true
        #expect(String(decoding: summary.json, as: UTF8.self) == expected + ",\"interrupted\":true}")
    }

    @Test func `an acknowledgement has the shape that the protocol gives it`() {
        let acknowledgement = Acknowledgement(lines: 7, libraries: ["b": EventSequence(0), "a": EventSequence(3)])
        #expect(
            String(decoding: acknowledgement.line, as: UTF8.self)
                == "{\"ack\":{\"lines\":7,\"libraries\":{\"a\":3,\"b\":0}}}")
    }
}

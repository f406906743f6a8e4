import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTesting

@Suite(.pooled, .tags(.model)) struct ReferenceModelTests {
    private func event(_ sequence: Int, library: String = "a", padding: Int = 0) -> String {
        let pad = String(repeating: "p", count: padding)
        return EventLine.change(
            #"{"id":"f\#(sequence)","p":"\#(pad)"}"#, library: library, sequence: Int64(sequence))
    }

    private func stream(_ lines: [String]) -> [UInt8] { lines.flatMap { Array(($0 + "\n").utf8) } }

    private func library(_ model: ReferenceModel, _ id: String = "a") -> ReferenceSummary.Library? {
        model.summary.libraries[Array(id.utf8)]
    }

    @Test func `before the end of input a gap is open and held events are in no bin`() {
        var model = ReferenceModel(configuration: ReferenceConfiguration())
        model.ingest(stream([event(1), event(3)]))
        #expect(library(model)?.state == "gap")
        #expect(library(model)?.sequence == 1)
        #expect(model.summary.counts.events == 1)
        model.endOfInput()
        #expect(library(model)?.state == "stale")
        #expect(model.summary.counts.events == 2)
    }

    @Test func `a restart drops held events and keeps the cursor`() {
        var model = ReferenceModel(configuration: ReferenceConfiguration())
        model.ingest(stream([event(1), event(3)]))
        model.restart()
        #expect(library(model)?.state == "live")
        model.ingest(stream([event(2), event(3)]))
        model.endOfInput()
        #expect(library(model)?.sequence == 3)
        #expect(library(model)?.lost.isEmpty == true)
        #expect(model.summary.counts.applied == 2)
    }

    // The cells gap/held-full and live/held-full are too large for vectors at the default limits.
    @Test func `a full held buffer without an upstream loses the first gap and nothing else`() {
        var configuration = ReferenceConfiguration()
        configuration.heldCountMax = 3
        var model = ReferenceModel(configuration: configuration)
        model.ingest(stream([event(1), event(3), event(5), event(6), event(9)]))
        #expect(library(model)?.lost == [2...2])
        #expect(library(model)?.sequence == 3)
        #expect(library(model)?.state == "gap")
        model.endOfInput()
        #expect(library(model)?.lost == [2...2, 4...4, 7...8])
        #expect(model.summary.counts.applied == 5)
    }

    @Test func `an event that found no room and is below all held events is not lost with the gap`() {
        var configuration = ReferenceConfiguration()
        configuration.heldCountMax = 2
        var model = ReferenceModel(configuration: configuration)
        model.ingest(stream([event(1), event(10), event(11), event(5)]))
        #expect(library(model)?.lost == [2...4])
        #expect(library(model)?.sequence == 5)
        model.endOfInput()
        #expect(library(model)?.lost == [2...4, 6...9])
        #expect(model.summary.counts.applied == 4)
    }

    @Test func `the byte limit fills the held buffer too, and one event past it does not wait`() {
        var configuration = ReferenceConfiguration()
        configuration.heldByteCountMax = 500
        var model = ReferenceModel(configuration: configuration)
        model.ingest(stream([event(1), event(3, padding: 600)]))
        #expect(library(model)?.lost == [2...2])
        #expect(library(model)?.sequence == 3)
    }

    @Test func `a full held buffer asks the upstream at once`() {
        var configuration = ReferenceConfiguration()
        configuration.heldCountMax = 2
        configuration.upstream = stream([event(2), event(4)])
        var model = ReferenceModel(configuration: configuration)
        model.ingest(stream([event(1), event(3), event(5), event(6)]))
        #expect(library(model)?.lost.isEmpty == true)
        #expect(library(model)?.sequence == 6)
        #expect(library(model)?.state == "live")
        #expect(model.summary.counts.reconciled == 2)
    }

    @Test func `a full held buffer with an upstream that has nothing loses every gap it asked for`() {
        var configuration = ReferenceConfiguration()
        configuration.heldCountMax = 2
        configuration.upstream = []
        var model = ReferenceModel(configuration: configuration)
        model.ingest(stream([event(1), event(3), event(5), event(9)]))
        #expect(library(model)?.lost == [2...2, 4...4])
        #expect(library(model)?.state == "gap")
        model.endOfInput()
        #expect(library(model)?.lost == [2...2, 4...4, 6...8])
    }

    @Test func `an event of one library too many is quarantined and the others continue`() {
        var configuration = ReferenceConfiguration()
        configuration.libraryCountMax = 2
        var model = ReferenceModel(configuration: configuration)
        model.ingest(stream([event(1), event(1, library: "b"), event(1, library: "c"), event(2)]))
        model.endOfInput()
        #expect(model.quarantine.map(\.reason) == [.tooManyLibraries])
        #expect(model.quarantine.first?.library == Array("c".utf8))
        #expect(model.summary.libraries.count == 2)
        #expect(library(model)?.sequence == 2)
    }

    @Test func `the quarantine keeps the newest records and counts all`() {
        var configuration = ReferenceConfiguration()
        configuration.quarantineCountMax = 2
        var model = ReferenceModel(configuration: configuration)
        model.ingest(stream(["x", "y", "z"]))
        #expect(model.quarantine.map(\.place.line) == [2, 3])
        #expect(model.summary.counts.quarantined == 3)
    }
}

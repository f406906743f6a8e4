import Testing
import TidemarkModel
import TidemarkStore

@testable import Tidemark

@Suite struct PositionWatchTests {
    private func status(_ library: ByteString, _ cursor: Int64?) -> LibraryStatus {
        LibraryStatus(library: library, epoch: "", cursor: cursor.map { EventSequence($0) }, phase: .live, lost: [])
    }

    @Test func `callers are answered in their order, each once, when their position is reached`() {
        var watch = PositionWatch()
        var answers: [String] = []
        for (name, library, sequence) in [
            ("a", "x", 5), ("b", "x", 3), ("c", "y", 3), ("d", "x", 3),
        ] as [(String, ByteString, Int64)] {
            watch.wait(for: EventSequence(sequence), of: library) { status in
                answers.append(name + (status.cursor.map { "\($0.rawValue)" } ?? "-"))
            }
        }
        watch.wake { status($0, $0 == "x" ? 4 : nil) }
        #expect(answers == ["b4", "d4"] && !watch.isEmpty)
        watch.wake { status($0, $0 == "x" ? 5 : nil) }
        #expect(answers == ["b4", "d4", "a5"])
        watch.release { status($0, nil) }
        #expect(answers == ["b4", "d4", "a5", "c-"] && watch.isEmpty)
        watch.release { status($0, nil) }
        #expect(answers.count == 4)
    }
}

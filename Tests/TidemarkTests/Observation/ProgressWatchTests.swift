import Synchronization
import Testing
import TidemarkModel
import TidemarkStore

@testable import Tidemark

@Suite struct ProgressWatchTests {
    private func status(_ library: ByteString, _ cursor: Int64?) -> LibraryStatus {
        LibraryStatus(library: library, epoch: "", cursor: cursor.map { EventSequence($0) }, phase: .live, lost: [])
    }

    private func place(_ library: ByteString, _ sequence: Int64) -> DurablePlace {
        DurablePlace(library: library, epoch: "", sequence: EventSequence(sequence))
    }

    @Test func `callers are answered in their order, each once, when their position is reached`() {
        var watch = ProgressWatch()
        var answers: [String] = []
        for (name, library, sequence) in [
            ("a", "x", 5), ("b", "x", 3), ("c", "y", 3), ("d", "x", 3),
        ] as [(String, ByteString, Int64)] {
            watch.wait(for: EventSequence(sequence), of: library) { status in
                answers.append(name + (status.cursor.map { "\($0.rawValue)" } ?? "-"))
            }
        }
        watch.wake { status($0, $0 == "x" ? 4 : nil) }
        #expect(answers == ["b4", "d4"] && watch.isAwaited)
        watch.wake { status($0, $0 == "x" ? 5 : nil) }
        #expect(answers == ["b4", "d4", "a5"])
        watch.release { status($0, nil) }
        #expect(answers == ["b4", "d4", "a5", "c-"] && !watch.isAwaited)
        watch.release { status($0, nil) }
        #expect(answers.count == 4)
    }

    @Test func `the observer of durable cursors is notified of moved ones alone`() {
        var watch = ProgressWatch()
        #expect(!watch.observesDurability)
        watch.committed([place("a", 1)])
        let sink = NotifiedPlaces()
        watch.observeDurability({ places in sink.places.withLock { $0.append(places) } }, at: [place("a", 1)])
        #expect(watch.observesDurability && !watch.isAwaited)
        watch.committed([place("a", 1)])
        watch.committed([place("a", 1), place("b", 5)])
        watch.committed([place("a", 2), place("b", 5)])
        #expect(sink.places.withLock { $0 } == [[place("b", 5)], [place("a", 2)]])
    }
}

private final class NotifiedPlaces: Sendable {
    let places = Mutex<[[DurablePlace]]>([])
}

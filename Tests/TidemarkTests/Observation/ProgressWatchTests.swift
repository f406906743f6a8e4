import Synchronization
import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import Tidemark

@Suite(.pooled) struct ProgressWatchTests {
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

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `callers are answered as those of one plain list`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var watch = ProgressWatch()
        var model: [(number: Int, library: ByteString, sequence: Int64)] = []
        var cursors: [ByteString: Int64] = [:]
        var (answers, expected): ([String], [String]) = ([], [])
        for number in 0..<200 {
            let library = random.pick(["x", "y", "z"] as [ByteString])
            if random.chance(700) {
                let sequence = Int64(random.below(30))
                model.append((number, library, sequence))
                watch.wait(for: EventSequence(sequence), of: library) { status in
                    answers.append("\(number)@\(status.cursor.map { "\($0.rawValue)" } ?? "-")")
                }
            } else {
                cursors[library, default: -1] += Int64(random.below(10))
            }
            watch.wake { status($0, cursors[$0]) }
            model.removeAll { waiter in
                guard let cursor = cursors[waiter.library], cursor >= waiter.sequence else { return false }
                expected.append("\(waiter.number)@\(cursor)")
                return true
            }
            #expect(answers == expected && watch.isAwaited == !model.isEmpty)
        }
        watch.release { status($0, cursors[$0]) }
        expected += model.map { waiter in "\(waiter.number)@\(cursors[waiter.library].map { "\($0)" } ?? "-")" }
        #expect(answers == expected && !watch.isAwaited)
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

import Synchronization
import Testing
import TidemarkModel

@testable import Tidemark

@Suite struct DurabilityWatchTests {
    private func place(_ library: ByteString, _ sequence: Int64) -> DurablePlace {
        DurablePlace(library: library, epoch: "", sequence: EventSequence(sequence))
    }

    @Test func `the observer is notified of moved cursors alone`() {
        var watch = DurabilityWatch()
        #expect(!watch.isActive)
        watch.committed([place("a", 1)])
        let sink = NotifiedPlaces()
        watch.begin({ places in sink.places.withLock { $0.append(places) } }, at: [place("a", 1)])
        #expect(watch.isActive)
        watch.committed([place("a", 1)])
        watch.committed([place("a", 1), place("b", 5)])
        watch.committed([place("a", 2), place("b", 5)])
        #expect(sink.places.withLock { $0 } == [[place("b", 5)], [place("a", 2)]])
    }
}

private final class NotifiedPlaces: Sendable {
    let places = Mutex<[[DurablePlace]]>([])
}

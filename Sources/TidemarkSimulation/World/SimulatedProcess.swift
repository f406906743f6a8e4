import Synchronization
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkTesting

/// A process with a cache in it, and the disk that it writes to.
package struct SimulatedProcess {
    package let cache: SyncCache
    package let folder: TemporaryFolder
    package let disk: FaultDisk
    /// Keeps up the lists of its observers.
    package let sink = FoldingSink()
    /// An observer that is told only now and then.
    package let slowSink = FoldingSink()
    package let durable = DurableRecord()
    /// Lines that were given to it.
    package var lineCount: Int64 = 0
    /// When the process began: counts go on from those of the one before.
    package var countsAtStart = EventCounts()
}

/// Up to where libraries are on the disk, as the cache said.
package final class DurableRecord: Sendable {
    private let places = Mutex<[ByteString: DurablePlace]>([:])

    package init() {}

    package func take(_ told: [DurablePlace]) {
        places.withLock { places in for place in told { places[place.library] = place } }
    }

    package func place(of library: String) -> DurablePlace? { places.withLock { $0[ByteString(library)] } }

    /// A log went back or begins anew: what was durable of it says nothing of the new one.
    package func forget(_ library: String) { places.withLock { $0[ByteString(library)] = nil } }
}

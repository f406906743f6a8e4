import Synchronization
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkTesting

/// A process with a cache, and the disk that it writes to.
package struct SimulatedProcess {
    package let cache: SyncCache
    package let folder: TemporaryFolder
    package let disk: FaultDisk
    /// The sink that keeps the lists of observers up to date.
    package let sink = FoldingSink()
    /// The sink of observers that are notified only now and then.
    package let slowSink = FoldingSink()
    /// The sink of the GraphQL client's watched documents.
    let graphSink = GraphSink()
    package let durable = DurableRecord()
    /// The number of lines that the process received.
    package var lineCount: Int64 = 0
    /// The counts when the process began: they continue those of the process before.
    package var countsAtStart = EventCounts()
}

/// The places up to which libraries are durable, as the cache reported them.
package final class DurableRecord: Sendable {
    private let places = Mutex<[ByteString: DurablePlace]>([:])

    package init() {}

    package func record(_ reported: [DurablePlace]) {
        places.withLock { places in for place in reported { places[place.library] = place } }
    }

    package func place(of library: String) -> DurablePlace? { places.withLock { $0[ByteString(library)] } }

    /// Removes a library's place after its log went back or began anew: the old place says nothing about the new log.
    package func forget(_ library: String) { places.withLock { $0[ByteString(library)] = nil } }
}

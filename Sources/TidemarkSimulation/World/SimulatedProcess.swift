import Synchronization
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkTesting

/// A process with a cache, and the disk that it writes to.
package struct SimulatedProcess {
    /// The cache.
    package let cache: SyncCache
    /// The folder with the files of the disk.
    package let folder: TemporaryFolder
    /// The disk.
    package let disk: FaultDisk
    /// The sink that keeps the lists of observers up to date.
    package let sink = FoldingSink()
    /// The sink of observers that accept notifications only at times.
    package let slowSink = FoldingSink()
    /// The sink of the GraphQL client's watched documents.
    let graphSink = GraphQLSink()
    /// The sink of the observed views.
    let viewSink = ViewSink()
    /// The durable positions that the cache reported.
    package let durable = DurableRecord()
    /// How many lines the process received.
    package var lineCount: Int64 = 0
    /// The counts when the process began, which continue those of the previous process.
    package var countsAtStart = EventCounts()
}

/// The durable positions of libraries, as the cache reported them.
package final class DurableRecord: Sendable {
    private let places = Mutex<[ByteString: DurablePlace]>([:])

    /// Creates a record without positions.
    package init() {}

    /// Records reported positions; the newest of each library counts.
    package func record(_ reported: [DurablePlace]) {
        places.withLock { places in for place in reported { places[place.library] = place } }
    }

    /// Returns the durable position of a library; nil if none was reported.
    package func place(of library: String) -> DurablePlace? { places.withLock { $0[ByteString(library)] } }

    /// Removes a library's position after its log was restored or begun anew, because it is void in the new log.
    package func forget(_ library: String) { places.withLock { $0[ByteString(library)] = nil } }
}

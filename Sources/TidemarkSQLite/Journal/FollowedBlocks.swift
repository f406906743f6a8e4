import Tidemark
import TidemarkStore

/// The entities of a data file of blocks that another process writes.
final class FollowedBlocks: EntityTables {
    let reads: any EntityReads

    init(_ connection: OpaquePointer) { reads = SnapshotReads(connection) }

    func lastRow() -> Int64 { 0 }

    func write(_ flush: FlushBatch, _ memory: JournalMemory) throws -> EntityOutcome {
        // No input reaches it: a follower drops what a cache would write.
        preconditionFailure("a file that is followed is not written")
    }

    func publish(_ commit: () throws -> Void) throws { try commit() }

    func discard() {}
}

import TidemarkModel
import TidemarkStore

/// The unexpected things that writing the entities of a flush met.
struct EntityOutcome {
    /// A stored entity whose stamps could not be renewed because it failed its check.
    struct Damaged {
        var key: StoredKey
        /// The number of its row, or of its block.
        var row: Int64
        var fault: PayloadFault
    }

    /// The new entities whose key had an older one, by library. The older one failed its check and counted as absent;
    /// the flush replaced it.
    var replacedCounts: [LibraryIndex: Int64] = [:]
    /// The entities whose stamps could not be renewed; one for a row of the flush at most.
    var damaged: [Damaged] = []
}

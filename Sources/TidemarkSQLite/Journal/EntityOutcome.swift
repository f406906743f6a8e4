import TidemarkModel
import TidemarkStore

/// What was unexpected while the entities of a flush were written.
struct EntityOutcome {
    /// A stored entity whose stamps could not be renewed because it failed its check.
    struct Damaged {
        var key: StoredKey
        /// The number of its row, or of its block.
        var row: Int64
        var fault: PayloadError
    }

    /// By library, how many new entities have replaced an older one with the same key. The older one had failed its
    /// check and counted as absent.
    var replacedCounts: [LibraryIndex: Int64] = [:]
    /// The entities whose stamps could not be renewed; at most one for each row of the flush.
    var damaged: [Damaged] = []
}

/// The locks that keep calls from interleaving at an `await`. Each lock serves its callers in the order of arrival.
struct CallTurns {
    /// The recorded entries of the current step and of the steps that it causes, in the order in which they are
    /// recorded.
    var steps = OpenSteps()
    /// Held while a batch is applied, so that batches follow one another.
    var changes = FairLock()
    /// Held while a caller loads entities from the journal and uses them.
    var loads = LoadTurns()
    /// Held by a transaction over documents, so that none changes an entity that another one has read.
    var transactions = FairLock()
    /// Held while the cache is being suspended, resumed or closed.
    var rest = FairLock()
    /// The cache's own tasks that wait until it is no longer suspended.
    var activity = ActivityGate()
    /// The current examination of the journal. A call that arrives during one shares its findings.
    var examination = SharedTurn<[JournalFinding]>()
}

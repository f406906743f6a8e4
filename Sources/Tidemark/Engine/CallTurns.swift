/// The turns of calls that would otherwise interleave at an `await`; each kind is given in the order of asking.
struct CallTurns {
    /// The entries of a step under way and of the steps that it causes, in the order in which they are recorded.
    var steps = OpenSteps()
    /// One batch after another is applied.
    var changes = FairLock()
    /// One caller at a time loads entities from the journal and uses them.
    var loads = LoadTurns()
    /// One transaction over documents after another runs, so that none changes an entity that another one has read.
    var transactions = FairLock()
    /// One examination of the journal at a time; a call that comes meanwhile gets the same findings.
    var examination = SharedTurn<[JournalFinding]>()
}

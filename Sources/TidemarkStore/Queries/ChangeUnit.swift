import TidemarkModel

/// What one event, batch, transaction or answer has done so far: observers are told of it at once, when it is over.
struct ChangeUnit {
    /// A list may change in several places: then the whole list is compared, not step by step.
    var isMulti = false
    var isOpen = false
    /// An element that is said to be replaced may look as before.
    var isUncertain = false
    /// Grows with each entity that is written; see ``QueryEntry/visit``.
    var stamp: Int64 = 0
    /// Observed queries that changed; each once.
    var touched: [UInt32] = []
    /// By handle of an observed or listed entity: what it was before the unit; empty when it was not there. Left out when
    /// nobody would look at it.
    var olds = KeptPayloads()
    /// Those of which only some fields were known.
    var partialOlds: Set<UInt32> = []
    /// The one entity that a unit which is not `isMulti` told observed lists of, with what it was.
    var told: UInt32?
    /// Elements that left observed lists; unpinned at the end, once for each time.
    var unpins: [UInt32] = []
    /// Entities that go by another key from here on, with what they went by.
    var renamed: [(from: UInt32, to: UInt32)] = []
    /// Layers to drop at the end: their log is over, and the new one has written an entity of theirs.
    var outlived: [Int64] = []
    /// Observed entities that changed, in order; each once.
    var entities: [UInt32] = []
    /// The number of the late event that makes the unit; nil for every other unit.
    var lateSequence: EventSequence?
}

import TidemarkModel

/// The changes so far of one event, batch, transaction or answer: observers are notified of them together when the unit
/// ends.
struct ChangeUnit {
    /// Whether a list may change in several places: then the whole list is compared, not step by step.
    var isMulti = false
    var isOpen = false
    /// Whether an element with a replace step may be unchanged.
    var isUncertain = false
    /// A number that grows with each written entity; see ``QueryEntry/visit``.
    var stamp: Int64 = 0
    /// The observed queries that changed; each once.
    var touched: [QueryID] = []
    /// The values before the unit by handle of an observed or listed entity; empty when it did not exist. Values that
    /// no observer needs are left out.
    var olds = KeptPayloads()
    /// The handles in `olds` of which only some fields were known.
    var partialOlds: Set<ListHandle> = []
    /// The one entity of which a unit that is not `isMulti` logged the old value for observed lists.
    var told: ListHandle?
    /// The handles of elements that left observed lists; unpinned when the unit ends, once for each time.
    var unpins: [ListHandle] = []
    /// The entities that have another key from now on, with the handles before and after.
    var renamed: [(from: ListHandle, to: ListHandle)] = []
    /// The layers to remove when the unit ends: their log has ended, and the new one has written one of their entities.
    var outlived: [Int64] = []
    /// The observed entities that changed, in order; each once.
    var entities: [ListHandle] = []
    /// The sequence of the late event that makes the unit; nil for every other unit.
    var lateSequence: EventSequence?
}

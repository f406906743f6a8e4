import TidemarkStore

/// The wings of one cache, in the order in which they were attached; at most one of each type, and ``countMax`` in all.
struct WingTable {
    /// The largest number of wings: 8. Each costs a call per change while anything is observed.
    static let countMax = 8

    private var wings: [any CacheWing] = []
    /// True if the journal was created anew since the last flush, so that it has no records.
    var areUnrecorded = false
    /// True once a flush removed the derived records of earlier processes.
    var areDerivedRecordsRemoved = false

    /// True if no wing has an observer, so that nothing has to be noted or distributed.
    var areUnobserved: Bool { wings.allSatisfy { $0.observerCount == 0 } }

    /// True if some wing has records to write.
    var haveUnwrittenRecords: Bool { wings.contains { $0.hasUnwrittenRecords } }

    /// The number of observers of all wings.
    var observerCount: Int { wings.reduce(0) { $0 + $1.observerCount } }

    /// The wings, to be called one after another; a copy, because a wing's work may attach another one.
    var all: [any CacheWing] { wings }

    /// Returns the wing of a type; nil if there is none.
    func wing<Wing: CacheWing>(_ type: Wing.Type) -> Wing? {
        for wing in wings {
            if let own = wing as? Wing { return own }
        }
        return nil
    }

    /// Adds a wing.
    ///
    /// - Returns: False if there is one of its type already.
    /// - Precondition: There are fewer than ``countMax``: the program, not its input, decides how many there are.
    mutating func add<Wing: CacheWing>(_ wing: Wing) -> Bool {
        guard self.wing(Wing.self) == nil else { return false }
        precondition(wings.count < WingTable.countMax, "a cache has at most \(WingTable.countMax) wings")
        wings.append(wing)
        return true
    }

    /// Passes a change to every wing.
    func note(_ change: ChangeRecord) {
        for wing in wings { wing.note(change) }
    }
}

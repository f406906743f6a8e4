import TidemarkModel
import TidemarkStore

/// The aliases that a place in a rule can see.
struct RuleScope {
    /// The visible aliases with their slots.
    private(set) var slots: [String: Int] = [:]
    /// The aliases of `exists` and `absent` that end before this place.
    private(set) var hidden: Set<String> = []

    /// Makes an alias visible.
    mutating func define(_ alias: String, slot: Int) { slots[alias] = slot }

    /// Ends the aliases that only an inner scope can see.
    mutating func hide(_ inner: RuleScope) {
        for alias in inner.slots.keys where slots[alias] == nil { hidden.insert(alias) }
        hidden.formUnion(inner.hidden)
    }

    /// Returns true if an alias is already used, visible or not.
    func uses(_ alias: String) -> Bool { slots[alias] != nil || hidden.contains(alias) }

    /// Returns the slot of an alias.
    ///
    /// - Throws: ``ViewRuleError`` if the place does not see the alias.
    func slot(_ alias: String, at place: String) throws(ViewRuleError) -> Int {
        if let slot = slots[alias] { return slot }
        if hidden.contains(alias) {
            throw ViewRuleError(place, "leads into \"\(alias)\", which only its exists or absent can see")
        }
        throw ViewRuleError(
            place, "begins with \"\(alias)\", which is no alias that is defined before this place",
            nearest: NearestName.of(ByteString(alias), among: slots.keys.sorted()))
    }
}

/// What a path means at one place of a rule.
struct PathMeaning {
    /// What a path means that is empty or begins with a slash.
    enum Slash {
        /// It is refused: such a path has to begin with an alias.
        case nothing
        /// A value of a source's own resource.
        case own(slot: Int)
        /// A value of the output row.
        case output(RowNames)
        /// An aggregate of an include.
        case aggregates([ViewInclude])
    }

    var scope: RuleScope
    var slash: Slash
}

/// The members of an output row, for paths into it.
struct RowNames {
    var output: ViewOutput
    var includes: [ViewInclude]
}

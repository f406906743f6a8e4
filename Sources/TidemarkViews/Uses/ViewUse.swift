import TidemarkModel
import TidemarkStore

/// One rule with certain parameters: the rows of its result, in their order, before a window is taken from them.
struct ViewUse: Sendable {
    /// How far the rows are computed.
    enum Progress: Hashable, Sendable {
        /// Rows whose first entity has at most this id are there; none before the first step.
        case upTo(ByteString?)
        case complete
    }

    let binding: ViewBinding
    /// The keys by which rows find the use, if uses share a walk.
    let routeKeys: JoinKeys
    /// True if the use keeps no rows and reports which enter and leave.
    let isFollowed: Bool
    /// Those who hold the use: windows, and definitions.
    var holderCount = 0
    var progress = Progress.upTo(nil)
    private(set) var rows = OrderedRows()
    /// The rows that entered and left a followed use since they were taken.
    private var moves: (entered: [RowTuple], left: [RowTuple]) = ([], [])
    private(set) var groups: GroupSet?
    /// The groups that changed since their rows were brought to their places.
    private var touchedGroups: Set<ByteString> = []
    private let order: [ViewOrder]
    private let groupCount: Int
    /// For each entity that a join asks for and that the cache does not know, how often it is asked for.
    private(set) var asks = AskCounts()
    /// The windows of the use.
    var windows: Set<ViewWindowID> = []

    init(_ plan: ViewPlan, _ binding: ViewBinding, routeKeys: JoinKeys, isFollowed: Bool = false) {
        self.binding = binding
        self.isFollowed = isFollowed
        self.routeKeys = routeKeys
        order = plan.body.order
        groups = plan.groups.map { GroupSet($0) }
        groupCount = plan.groups?.keys?.count ?? 0
        if plan.groups?.keys == nil, plan.groups != nil { refresh(group: []) }
    }

    /// Returns true if the rows of a first entity are computed.
    func covers(_ id: ByteString) -> Bool {
        switch progress {
        case .complete: true
        case .upTo(nil): false
        case .upTo(let last?): id <= last
        }
    }

    // MARK: Changes

    /// Applies what a row adds in one state in place of what it added in another; nil for nothing.
    ///
    /// Groups only show the difference after ``refreshGroups()``.
    mutating func apply(_ row: RowTuple, from old: Contribution?, to new: Contribution?) {
        guard !isFollowed else {
            if old == nil { moves.entered.append(row) }
            if new == nil { moves.left.append(row) }
            return
        }
        if case .grouped(let former)? = old, case .grouped(let current)? = new,
            ByteOrder.equal(former.key, current.key)
        {
            groups?.replace(former, with: current)
            return touch(current)
        }
        switch old {
        case .row?: if new == nil { rows.remove(.row(row)) }
        case .grouped(let grouped)?:
            groups?.remove(grouped)
            touch(grouped)
        case nil: break
        }
        switch new {
        case .row(let sortKey)?: rows.set(.row(row), sortKey: sortKey)
        case .grouped(let grouped)?:
            groups?.add(grouped)
            touch(grouped)
        case nil: break
        }
    }

    /// Notes a group that changed. Until the use is complete nobody sees one, and then all are brought to their places.
    private mutating func touch(_ grouped: GroupContribution) {
        if progress == .complete { touchedGroups.insert(ByteString(grouped.key)) }
    }

    /// Brings the rows of the groups that changed to their places.
    ///
    /// - Returns: These groups. Their rows may look different now; what rows of entities look like is rendered.
    mutating func refreshGroups() -> Set<ResultKey> {
        guard !touchedGroups.isEmpty else { return [] }
        let touched = touchedGroups
        touchedGroups.removeAll()
        for key in touched { refresh(group: key.bytes) }
        return Set(touched.map { ResultKey.group($0.bytes) })
    }

    /// Ends the filling: the rows of all groups are brought to their places.
    mutating func complete() {
        progress = .complete
        for key in groups?.keys ?? [] { refresh(group: key.bytes) }
    }

    /// Returns the rows that moved since the last call, and forgets them.
    mutating func takeMoves() -> (entered: [RowTuple], left: [RowTuple]) {
        defer { moves = ([], []) }
        return moves
    }

    mutating func applyAsks(from old: Set<AskID>, to new: Set<AskID>) -> Bool { asks.apply(from: old, to: new) }

    /// Brings the row of a group to its place, or removes it.
    private mutating func refresh(group key: [UInt8]) {
        if let row = groups?.row(key, binding) {
            rows.set(.group(key), sortKey: row.sortKey(order, groupCount: groupCount))
        } else {
            rows.remove(.group(key))
        }
    }

    /// Ends a change: numbers of rows that left may be reused.
    mutating func endChange() { rows.endChange() }

    /// An estimate of the bytes that the use takes.
    ///
    /// The use itself, its place in a table, its parameters in two more, and the keys by which it is found.
    var byteCount: Int {
        let parameters = binding.values.reduce(64) { $0 + 32 + $1.count }
        let keys = routeKeys.reduce(0) { $0 + 96 + $1.bytes.count }
        return MemoryLayout<ViewUse>.stride + 48 + 2 * 64 + parameters + keys + windows.count * 64
            + rows.byteCount + (groups?.byteCount ?? 0) + asks.byteCount
    }
}

/// Counts how often rows ask for entities that the cache does not know.
struct AskCounts: Sendable {
    private var counts: [ViewKey: Int] = [:]

    init() {}

    /// The entities that are asked for.
    var keys: some Collection<ViewKey> { counts.keys }

    var count: Int { counts.count }

    func contains(_ key: ViewKey) -> Bool { counts[key] != nil }

    /// Applies the difference of two states.
    ///
    /// - Returns: True if an entity is asked for now that was not, or no longer.
    mutating func apply(from old: Set<AskID>, to new: Set<AskID>) -> Bool {
        var differs = false
        for ask in new.subtracting(old) { differs = change(ask.key, by: 1) || differs }
        for ask in old.subtracting(new) { differs = change(ask.key, by: -1) || differs }
        return differs
    }

    /// Counts an entity once more, or once less.
    ///
    /// - Returns: True if the entity is asked for now and was not, or no longer.
    @discardableResult
    mutating func change(_ key: ViewKey, by difference: Int) -> Bool {
        let former = counts[key] ?? 0
        counts[key] = former + difference == 0 ? nil : former + difference
        return former == 0 || former + difference == 0
    }

    /// An estimate of the bytes that the counts take.
    var byteCount: Int { counts.count * 120 }
}

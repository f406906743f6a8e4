import TidemarkStore

/// One rule with all of its uses.
struct ViewShape: Sendable {
    let plan: ViewPlan
    var uses: [UseNumber: CopiedOnWrite<ViewUse>] = [:]
    /// The uses that one walk serves; nil if each use walks for itself.
    var sharing: SharedUses?
    /// The uses by their parameters: those with rows, and those that are followed.
    private var numbers: [ViewBinding: UseNumber] = [:]
    private var followedNumbers: [ViewBinding: UseNumber] = [:]
    private var nextNumber: UseNumber = 0
    /// Those who hold the rule without a use: definitions of views with parameters, and scopes.
    var holderCount = 0
    /// The questions for unknown entities that are the same for every use, and how far they are collected.
    var commonAsks = AskCounts()
    var commonProgress: ViewUse.Progress

    init(_ plan: ViewPlan) {
        self.plan = plan
        sharing = plan.route == nil ? nil : SharedUses()
        commonProgress = plan.route != nil && plan.asks ? .upTo(nil) : .complete
    }

    /// Returns the use with parameters, which is added if there is none.
    mutating func use(_ binding: ViewBinding, _ indexes: ViewIndexes, isFollowed: Bool) -> UseNumber {
        if let number = isFollowed ? followedNumbers[binding] : numbers[binding] { return number }
        let keys = plan.route?.keys(binding, indexes.types) ?? JoinKeys()
        let number = nextNumber
        nextNumber += 1
        if isFollowed { followedNumbers[binding] = number } else { numbers[binding] = number }
        uses[number] = CopiedOnWrite(ViewUse(plan, binding, routeKeys: keys, isFollowed: isFollowed))
        sharing?.add(number, binding, keys: keys)
        return number
    }

    /// Returns true if there is a use with parameters.
    func has(_ binding: ViewBinding, isFollowed: Bool) -> Bool {
        (isFollowed ? followedNumbers[binding] : numbers[binding]) != nil
    }

    /// Returns true if a row of a use may be one of another use too.
    func sharesRows(of use: ViewUse) -> Bool {
        guard uses.count > 1 else { return false }
        // A row finds its uses by one value.
        guard let sharing, case .value? = plan.route?.origin else { return true }
        return use.routeKeys.contains { sharing.uses($0).count > 1 }
    }

    /// The number of followed uses.
    var followedCount: Int { followedNumbers.count }

    mutating func remove(_ number: UseNumber) {
        guard let use = uses.removeValue(forKey: number)?.value else { return }
        if use.isFollowed { followedNumbers[use.binding] = nil } else { numbers[use.binding] = nil }
        sharing?.remove(number, keys: use.routeKeys)
    }

    /// Forgets every row.
    mutating func restart() {
        commonAsks = AskCounts()
        commonProgress = plan.route != nil && plan.asks ? .upTo(nil) : .complete
        for (number, use) in uses.mapValues(\.value) {
            var fresh = ViewUse(plan, use.binding, routeKeys: use.routeKeys, isFollowed: use.isFollowed)
            fresh.holderCount = use.holderCount
            fresh.windows = use.windows
            uses[number] = CopiedOnWrite(fresh)
        }
    }

    /// The uses, ascending by their numbers. Most rules that share no walk have one.
    private var sortedUses: [(UseNumber, CopiedOnWrite<ViewUse>)] {
        let all = uses.map { ($0.key, $0.value) }
        return all.count == 1 ? all : all.sorted { $0.0 < $1.0 }
    }

    // MARK: Changes

    /// Collects what a state adds to the results, for the rows that changes concern.
    func emissions(
        of changes: [ChangedSource], isOld: Bool, _ indexes: ViewIndexes, _ reader: ResourceReader
    ) -> Emissions {
        var emissions = Emissions()
        if let sharing {
            var evaluation = Evaluation(indexes, plan, reader, nil)
            evaluation.sharing = sharing
            collect(changes, isOld, indexes, &evaluation, nil, &emissions)
        } else {
            for (number, use) in sortedUses {
                var evaluation = Evaluation(indexes, plan, reader, use.value.binding)
                collect(changes, isOld, indexes, &evaluation, number, &emissions)
            }
        }
        return emissions
    }

    /// Collects what two states add to the results, for the rows that changes only move.
    func moves(
        of changes: [ChangedSource], _ indexes: ViewIndexes, before: ResourceReader, after: ResourceReader
    ) -> (old: Emissions, new: Emissions) {
        var (old, new) = (Emissions(), Emissions())
        func collect(_ evaluation: inout Evaluation, _ use: UseNumber?) {
            for change in changes {
                evaluation.walkMoves(of: change) { row in
                    row.reader = before
                    old.add(&row, use)
                    row.reader = after
                    new.add(&row, use)
                }
            }
        }
        if let sharing {
            var evaluation = Evaluation(indexes, plan, after, nil)
            evaluation.sharing = sharing
            collect(&evaluation, nil)
        } else {
            for (number, use) in sortedUses {
                var evaluation = Evaluation(indexes, plan, after, use.value.binding)
                collect(&evaluation, number)
            }
        }
        return (old, new)
    }

    private func collect(
        _ changes: [ChangedSource], _ isOld: Bool, _ indexes: ViewIndexes, _ evaluation: inout Evaluation,
        _ use: UseNumber?,
        _ emissions: inout Emissions
    ) {
        evaluation.changedEntities = Set(changes.compactMap { indexes.table.number(of: $0.change.key) })
        for change in changes {
            evaluation.walkRows(of: change, isOld: isOld) { emissions.add(&$0, use) }
        }
        emissions.addAsks(evaluation, use)
    }

    /// Applies the difference of two states to the uses.
    ///
    /// - Parameter table: The numbers of entities, those that left included.
    /// - Returns: The changed uses, each with the groups whose rows may look different.
    mutating func apply(
        from old: Emissions, to new: Emissions, _ table: EntityTable
    ) -> [UseNumber: Set<ResultKey>] {
        var changed: [UseNumber: Set<ResultKey>] = [:]
        Emissions.forEachDifference(from: old, to: new) { row, number, before, after in
            guard let position = uses.index(forKey: number) else { return }
            if uses.values[position].value.progress != .complete {
                guard uses.values[position].value.covers(table.key(of: row[0]).id) else { return }
            }
            uses.values[position].value.apply(row, from: before, to: after)
            changed[number] = []
        }
        let asking = old.asks.isEmpty && new.asks.isEmpty ? [] : Set(old.asks.keys).union(new.asks.keys)
        for number in asking {
            guard let position = uses.index(forKey: number) else { continue }
            let progress = uses.values[position].value.progress
            let differs = uses.values[position].value.applyAsks(
                from: covered(old.asks[number] ?? [], progress, table),
                to: covered(new.asks[number] ?? [], progress, table))
            if differs, changed[number] == nil { changed[number] = [] }
        }
        if plan.groups != nil {
            for number in changed.keys {
                guard let position = uses.index(forKey: number) else { continue }
                changed[number] = uses.values[position].value.refreshGroups()
            }
        }
        let common = (covered(old.commonAsks, commonProgress, table), covered(new.commonAsks, commonProgress, table))
        if commonAsks.apply(from: common.0, to: common.1) {
            for number in uses.keys where changed[number] == nil { changed[number] = [] }
        }
        return changed
    }

    private func covered(_ asks: Set<AskID>, _ progress: ViewUse.Progress, _ table: EntityTable) -> Set<AskID> {
        switch progress {
        case .complete: asks
        case .upTo(nil): []
        case .upTo(let last?): asks.filter { table.key(of: $0.row[0]).id <= last }
        }
    }

    /// An estimate of the bytes that the uses take.
    var byteCount: Int { commonAsks.byteCount + uses.reduce(0) { $0 + $1.value.value.byteCount } }
}

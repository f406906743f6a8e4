import TidemarkModel

/// Uses that only report which rows enter and leave. They keep no rows and have no windows: who follows them keeps what
/// it needs, so that 10,000 uses of one rule cost what their followers keep.
extension ViewSet {
    /// Follows a use of a rule, until it is released as often.
    ///
    /// Followed and held uses of the same rule and parameters are separate ones, which share relations and walks.
    ///
    /// - Parameter rule: A rule without groups.
    /// - Returns: nil if there are as many uses as are allowed.
    package mutating func follow(_ rule: ViewRule, _ binding: ViewBinding) -> ViewUseID? {
        hold(rule, binding, isFollowed: true)
    }

    /// Returns the rows that entered and left followed uses since the last call, and forgets them.
    ///
    /// Call it after each ``fill(_:_:countMax:)`` and ``apply(_:_:)``: moves of several changes are not merged, and the
    /// numbers of entities that left may be given to others by the next change.
    package mutating func takeMoves() -> [ViewUseID: UseMoves] {
        defer { moves.removeAll() }
        return moves
    }

    /// Returns the followed uses with a row whose first entity is the given one, in the current state.
    ///
    /// - Complexity: One walk from the entity for each rule over its type; where a rule's uses share no walk, one for
    ///   each use.
    package func followedUses(showing key: ViewKey, _ entities: any ViewEntities) -> [ViewUseID] {
        guard let number = indexes.table.number(of: key) else { return [] }
        let reader = ResourceReader(entities)
        var found: [ViewUseID] = []
        for shapeNumber in (shapesByType[key.type] ?? []).sorted() {
            guard let shape = shapes[shapeNumber] else { continue }
            found += shape.followedUses(showing: number, key, indexes, reader).map {
                ViewUseID(shape: shapeNumber, use: $0)
            }
        }
        return found
    }

    /// The key of an entity by its number in ``UseMoves``. The number has to be one of an entity in some row.
    package func key(of number: UInt32) -> ViewKey { indexes.table.key(of: number) }

    /// The number of an entity that a rule of some use reads; nil for any other.
    package func number(of key: ViewKey) -> UInt32? { indexes.table.number(of: key) }

    /// Collects the moves of a use whose rows changed.
    mutating func collectMoves(of id: ViewUseID) {
        guard let taken = shapes[id.shape]?.uses[id.use]?.value.takeMoves(),
            !taken.entered.isEmpty || !taken.left.isEmpty
        else { return }
        var collected = moves[id] ?? UseMoves()
        collected.entered += taken.entered.map { row($0[0]) }
        collected.left += taken.left.map { row($0[0]) }
        moves[id] = collected
    }

    private func row(_ number: EntityNumber) -> UseMoves.Row {
        UseMoves.Row(number: number, key: indexes.table.key(of: number))
    }
}

extension ViewShape {
    /// Returns the followed uses that show a row with an entity as the first one.
    fileprivate func followedUses(
        showing number: EntityNumber, _ key: ViewKey, _ indexes: ViewIndexes, _ reader: ResourceReader
    ) -> [UseNumber] {
        let from = plan.body.steps[0].source
        guard followedCount > 0, from.type == key.type,
            indexes.relations[from.relation].members.contains(number)
        else { return [] }
        var emissions = Emissions()
        if let sharing {
            var evaluation = Evaluation(indexes, plan, reader, nil)
            evaluation.sharing = sharing
            evaluation.walkRows(from: from, number) { emissions.add(&$0, nil) }
        } else {
            for (use, state) in uses.sorted(by: { $0.key < $1.key }) where state.value.isFollowed {
                var evaluation = Evaluation(indexes, plan, reader, state.value.binding)
                evaluation.walkRows(from: from, number) { emissions.add(&$0, use) }
            }
        }
        return Set(emissions.rows.flatMap(\.shares).map(\.use)).filter { use in
            uses[use].map { $0.value.isFollowed && $0.value.covers(key.id) } ?? false
        }.sorted()
    }
}

import TidemarkModel

/// Holding rules without a use, and filling by pages that the owner reads.
extension ViewSet {
    /// Holds a rule, so that its relations and indexes are kept up to date while it has no use.
    package mutating func hold(_ rule: ViewRule) -> ViewRuleID {
        let shape = shape(of: rule)
        shapes[shape]?.holderCount += 1
        return ViewRuleID(shape: shape)
    }

    /// Releases a rule.
    package mutating func release(_ id: ViewRuleID) {
        shapes[id.shape]?.holderCount -= 1
        endIfUnused(id.shape)
    }

    /// Keeps the relations and indexes of a rule also while nobody uses it, so that a use costs its own rows alone.
    package mutating func prepare(_ rule: ViewRule) { _ = hold(rule) }

    /// Ends one ``prepare(_:)``.
    package mutating func abandon(_ rule: ViewRule) {
        if let number = shapeNumbers[rule] { release(ViewRuleID(shape: number)) }
    }

    /// Returns what ``fill(_:_:countMax:)`` needs next.
    package func nextStep(of id: ViewUseID) -> ViewFillStep {
        if let (type, last) = relationCursor(for: id) { return .page(type: type, after: last) }
        guard let shape = shapes[id.shape], let use = shape.uses[id.use]?.value else { return .complete }
        if shape.commonProgress != .complete { return shape.step(after: shape.commonProgress) }
        if use.progress == .complete { return .complete }
        return shape.needsNoPage(use) ? .unpaged : shape.step(after: use.progress)
    }

    /// Returns what ``fill(_:countMax:)`` needs next.
    package var nextStepOfRelations: ViewFillStep? {
        relationCursor(for: nil).map { .page(type: $0.type, after: $0.after) }
    }

    /// Gives the relations of all rules the entities that they lack, in a step of bounded length.
    ///
    /// - Parameter countMax: The most entities to read, at least 1.
    /// - Returns: True once they are complete.
    package mutating func fillRules(_ entities: any ListableEntities, countMax: Int) -> Bool {
        guard let (type, last) = relationCursor(for: nil) else { return true }
        fillRelations(FillPage(of: type, after: last, entities, countMax: countMax))
        return relationCursor(for: nil) == nil
    }

    /// Forgets every row, and keeps rules, uses and windows: all have to be filled again, and windows to be resumed.
    ///
    /// What windows showed stays known, so that resuming them tells the difference.
    package mutating func restart() {
        for window in windows.keys { suspend(window) }
        indexes.restart()
        for number in shapes.keys { shapes[number]?.restart() }
        fillCursor = nil
    }

    /// Shows another complete use in a window.
    ///
    /// - Parameters:
    ///   - offset: The rows before the window; nil for the rule's.
    ///   - limit: The most rows; nil for the rule's.
    /// - Returns: The change; nil if nothing shows.
    package mutating func change(
        _ number: ViewWindowID, to use: ViewUseID, offset: Int?, limit: Int?, _ entities: any ViewEntities
    ) -> ViewUpdate? {
        suspend(number)
        guard let window = windows[number] else { return nil }
        let former = ViewUseID(shape: window.shape, use: window.use)
        shapes[former.shape]?.uses[former.use]?.value.windows.remove(number)
        windows[number]?.shape = use.shape
        windows[number]?.use = use.use
        let body = shapes[use.shape]?.plan.body
        windows[number]?.offset = offset ?? body?.offset ?? 0
        windows[number]?.limit = limit ?? body?.limit
        shapes[use.shape]?.uses[use.use]?.value.windows.insert(number)
        shapes[use.shape]?.uses[use.use]?.value.holderCount += 1
        release(former)
        return resume(number, entities)
    }

    /// Every use, by the order of their rules and their own: what filling them one after the other reads depends on it.
    package var uses: [ViewUseID] {
        shapes.sorted { $0.key < $1.key }.flatMap { number, shape in
            shape.uses.keys.sorted().map { ViewUseID(shape: number, use: $0) }
        }
    }

    /// The numbers that the observer of a window is told; nil if it is closed.
    package func counts(of window: ViewWindowID) -> (total: Int, missing: Int)? {
        windows[window].map { ($0.total, $0.missingCount) }
    }

    /// The rows of a complete use, before any window is cut.
    package func rowCount(of id: ViewUseID) -> Int { shapes[id.shape]?.uses[id.use]?.value.rows.count ?? 0 }

    /// An estimate of the bytes that a use takes, beside relations that it shares.
    package func byteCount(of id: ViewUseID) -> Int {
        guard let shape = shapes[id.shape], let use = shape.uses[id.use]?.value else { return 0 }
        return use.byteCount + use.windows.reduce(0) { $0 + (windows[$1]?.byteCount ?? 0) }
    }

    /// An estimate of the bytes that the relations of a rule take, which others may share.
    package func relationByteCount(of rule: ViewRule) -> Int {
        guard let number = shapeNumbers[rule], let shape = shapes[number] else { return 0 }
        return shape.plan.relations.reduce(0) { $0 + indexes.relations[$1].byteCount }
    }
}

/// The number of a rule that is held.
package struct ViewRuleID: Hashable, Sendable {
    let shape: Int
}

/// What the filling of a use needs next.
package enum ViewFillStep: Hashable, Sendable {
    /// The ids of a type's entities, ascending, from an id on.
    case page(type: ByteString, after: ByteString?)
    /// No ids: an index has the entities.
    case unpaged
    /// Nothing: the use is complete.
    case complete
}

extension ViewShape {
    /// The page of first entities after those that were walked from.
    fileprivate func step(after progress: ViewUse.Progress) -> ViewFillStep {
        guard case .upTo(let last) = progress else { return .complete }
        return .page(type: plan.body.steps[0].source.type, after: last)
    }
}

import TidemarkModel
import TidemarkStore

/// The live views of one library: their relations, results and windows.
///
/// A pure value. It reads entities through ``ViewEntities`` and is given every change of one, in the order in which the
/// cache applied them; it then returns what changed in each window. It starts nothing, waits for nothing and writes
/// nothing.
///
/// 1. ``hold(_:_:)`` gives a use: a rule with parameters. Uses of one rule share relations and, where the rule allows
///    it, one walk for each change.
/// 2. ``fill(_:_:countMax:)`` computes the use, in steps, until it is complete.
/// 3. ``open(_:offset:limit:_:)`` shows a window of it; ``result(_:)`` returns its rows.
/// 4. ``apply(_:_:)`` takes the changes of a unit and returns the patches.
///
/// - Source: Protocol/views.md.
package struct ViewSet: Sendable {
    let limits: ViewLimits
    var indexes: ViewIndexes
    /// The rules in use. Their number is bounded by those who hold uses.
    var shapes: [Int: ViewShape] = [:]
    var shapeNumbers: [ViewRule: Int] = [:]
    /// The rules whose rows depend on a type.
    var shapesByType: [ByteString: Set<Int>] = [:]
    var nextShape = 0
    /// The uses of all rules.
    private var useCount = 0
    /// The open windows.
    var windows: [ViewWindowID: ViewWindow] = [:]
    private var nextWindow: UInt32 = 0
    /// The windows that the last change concerned, whether something shows or not.
    package internal(set) var refreshed: [ViewWindowID] = []
    /// The shown rows that read an entity or a bucket.
    var dependents = RowDependents()
    /// The rows that entered and left followed uses since they were taken.
    var moves: [ViewUseID: UseMoves] = [:]
    /// How far the relations of the type that is being filled are.
    var fillCursor: (type: ByteString, id: ByteString?)?

    /// Creates a set without views.
    ///
    /// - Parameter types: The cache's own names of types, by their other names.
    package init(types: [ByteString: ByteString] = [:], limits: ViewLimits = ViewLimits()) {
        indexes = ViewIndexes(types: types)
        self.limits = limits
    }

    // MARK: Uses

    /// Holds a use of a rule, until it is released as often.
    ///
    /// - Returns: nil if there are as many uses as are allowed.
    package mutating func hold(_ rule: ViewRule, _ binding: ViewBinding) -> ViewUseID? {
        hold(rule, binding, isFollowed: false)
    }

    mutating func hold(_ rule: ViewRule, _ binding: ViewBinding, isFollowed: Bool) -> ViewUseID? {
        let isKnown =
            shapeNumbers[rule].flatMap { shapes[$0] }?.has(binding, isFollowed: isFollowed) ?? false
        guard isKnown || useCount < limits.useCountMax else { return nil }
        if !isKnown { useCount += 1 }
        let shape = shape(of: rule)
        let use = shapes[shape]?.use(binding, indexes, isFollowed: isFollowed) ?? 0
        shapes[shape]?.uses[use]?.value.holderCount += 1
        return ViewUseID(shape: shape, use: use)
    }

    /// Releases a use. With the last holder it ends, and with the last use of a rule what that rule alone needed.
    package mutating func release(_ id: ViewUseID) {
        guard let count = shapes[id.shape]?.uses[id.use]?.value.holderCount else { return }
        guard count == 1 else {
            shapes[id.shape]?.uses[id.use]?.value.holderCount -= 1
            return
        }
        shapes[id.shape]?.remove(id.use)
        moves[id] = nil
        useCount -= 1
        endIfUnused(id.shape)
    }

    /// Returns the number of a rule, whose plan is made if it has none.
    mutating func shape(of rule: ViewRule) -> Int {
        if let known = shapeNumbers[rule] { return known }
        let plan = ViewPlanner.plan(rule, &indexes)
        for relation in plan.relations { indexes.use(relation, by: 1) }
        let shape = nextShape
        nextShape += 1
        shapes[shape] = ViewShape(plan)
        for type in plan.sourcesByType.keys { shapesByType[type, default: []].insert(shape) }
        shapeNumbers[rule] = shape
        fillCursor = nil
        return shape
    }

    /// Removes a rule that nobody holds, with what it alone needed.
    mutating func endIfUnused(_ number: Int) {
        guard let shape = shapes[number], shape.uses.isEmpty, shape.holderCount == 0 else { return }
        for relation in shape.plan.relations { indexes.use(relation, by: -1) }
        shapeNumbers[shape.plan.rule] = nil
        for type in shape.plan.sourcesByType.keys { shapesByType[type]?.remove(number) }
        shapes[number] = nil
    }

    // MARK: Windows

    /// Shows a window of a complete use.
    ///
    /// - Parameters:
    ///   - offset: The rows before the window; nil for the rule's.
    ///   - limit: The most rows; nil for the rule's.
    /// - Returns: nil if as many windows are open as are allowed.
    package mutating func open(
        _ id: ViewUseID, offset: Int? = nil, limit: Int? = nil, _ entities: any ViewEntities
    ) -> ViewWindowID? {
        guard windows.count < limits.windowCountMax else { return nil }
        let number = ViewWindowID(rawValue: nextWindow)
        nextWindow += 1
        let body = shapes[id.shape]?.plan.body
        windows[number] = ViewWindow(
            shape: id.shape, use: id.use, offset: offset ?? body?.offset ?? 0, limit: limit ?? body?.limit)
        shapes[id.shape]?.uses[id.use]?.value.windows.insert(number)
        shapes[id.shape]?.uses[id.use]?.value.holderCount += 1
        _ = refresh(number, dirty: [], ResourceReader(entities))
        return number
    }

    /// Closes a window.
    package mutating func close(_ number: ViewWindowID) {
        guard let window = windows.removeValue(forKey: number) else { return }
        for (row, shown) in window.shown { dependents.remove(number, row, shown.reads) }
        shapes[window.shape]?.uses[window.use]?.value.windows.remove(number)
        release(ViewUseID(shape: window.shape, use: window.use))
    }

    /// Moves a window; what is nil stays.
    ///
    /// - Returns: The change; nil if nothing shows.
    package mutating func move(
        _ number: ViewWindowID, offset: Int?, limit: Int?, _ entities: any ViewEntities
    ) -> ViewUpdate? {
        if let offset { windows[number]?.offset = offset }
        if let limit { windows[number]?.limit = limit }
        guard windows[number]?.suspended == nil else { return nil }
        return refresh(number, dirty: [], ResourceReader(entities))
    }

    /// Stops computing the changes of a window whose observer does not read. It then costs other observers nothing.
    package mutating func suspend(_ number: ViewWindowID) {
        guard var window = windows[number], window.suspended == nil else { return }
        for (row, shown) in window.shown { dependents.remove(number, row, shown.reads) }
        window.suspended = elements(window)
        window.order = []
        window.shown = [:]
        window.missing = AskCounts()
        windows[number] = window
    }

    /// Computes the changes of a window again.
    ///
    /// - Returns: All changes since the window was suspended, as one; nil if nothing shows.
    /// - Complexity: O(window), and the rendering of its rows.
    package mutating func resume(_ number: ViewWindowID, _ entities: any ViewEntities) -> ViewUpdate? {
        guard let former = windows[number]?.suspended else { return nil }
        let told = (total: windows[number]?.total ?? 0, missing: windows[number]?.missingCount ?? 0)
        windows[number]?.suspended = nil
        _ = refresh(number, dirty: [], ResourceReader(entities))
        guard let window = windows[number], let rule = shapes[window.shape]?.plan.rule, let result = result(number)
        else { return nil }
        var update = ViewUpdate(
            window: number, patch: [], addedKeys: [], total: result.total, missing: result.missing,
            isTooLarge: window.isTooLarge)
        let current = elements(window)
        RowDifference.append(former, current, at: [], to: &update.patch)
        let known = Set(former.map(\.key))
        update.addedKeys = zip(current, result.keys).filter { !known.contains($0.0.key) }.map(\.1)
        let isTold =
            !update.patch.isEmpty || update.missing != told.missing || rule.hasTotal && update.total != told.total
        return isTold ? update : nil
    }

    /// The shown rows, with keys that stay the same whatever happens meanwhile.
    private func elements(_ window: ViewWindow) -> [RenderedElement] {
        guard let shape = shapes[window.shape], let use = shape.uses[window.use]?.value else { return [] }
        return window.order.map { number in
            var key: [UInt8] = []
            switch use.rows.key(of: number) {
            case .row(let row)?:
                for slot in shape.plan.body.rowSlots {
                    let id = row[slot] == EntityTable.none ? nil : indexes.table.key(of: row[slot]).id
                    SortKey.append(id: id, to: &key)
                }
            case .group(let codes)?: key = codes
            case nil: break
            }
            return RenderedElement(key: key, row: window.shown[number]?.row ?? RenderedRow(own: []))
        }
    }

    /// Returns the rows of a window; nil if it is closed or suspended.
    package func result(_ number: ViewWindowID) -> ViewResult? {
        guard let window = windows[number], window.suspended == nil, let shape = shapes[window.shape],
            let use = shape.uses[window.use]?.value
        else {
            return nil
        }
        let reader = ResourceReader(NoEntities())
        let refresh = WindowRefresh(window.shape, shape, CopiedOnWrite(use), indexes, reader, limits)
        return ViewResult(
            rows: window.order.map { window.shown[$0]?.row.text ?? [] }, keys: window.order.map { refresh.key(of: $0) },
            total: use.rows.count, missing: refresh.missingCount(window), isTooLarge: window.isTooLarge)
    }

    /// Brings a window up to date.
    ///
    /// - Parameter changes: The changes that are being applied, before which the window was up to date; empty if there
    ///   are none.
    mutating func refresh(
        _ number: ViewWindowID, dirty: Set<RowNumber>, _ reader: ResourceReader,
        changes: [ChangedEntity] = []
    ) -> ViewUpdate? {
        // Out of the table while it changes, so that its rows are not copied.
        guard var window = windows.removeValue(forKey: number) else { return nil }
        defer { windows[number] = window }
        guard let shape = shapes[window.shape], let use = shape.uses[window.use] else { return nil }
        let wasTooLarge = window.isTooLarge
        var refresh = WindowRefresh(window.shape, shape, use, indexes, reader, limits, changes: changes)
        let steps = changes.isEmpty ? nil : use.value.rows.steps
        let (patch, addedKeys) = refresh.update(&window, dirty: dirty, steps: steps)
        for (row, reads) in refresh.ended { dependents.remove(number, row, reads) }
        for (row, reads) in refresh.begun { dependents.add(number, row, reads) }
        let missing = refresh.missingCount(window)
        let total = use.value.rows.count
        let isTold =
            !patch.isEmpty || missing != window.missingCount || shape.plan.rule.hasTotal && total != window.total
            || window.isTooLarge != wasTooLarge
        window.missingCount = missing
        window.total = total
        guard isTold else { return nil }
        return ViewUpdate(
            window: number, patch: patch, addedKeys: addedKeys, total: total, missing: missing,
            isTooLarge: window.isTooLarge)
    }

    /// An estimate of the bytes that all views take.
    package var byteCount: Int {
        indexes.byteCount + dependents.byteCount + shapes.reduce(0) { $0 + $1.value.byteCount }
            + windows.reduce(0) { $0 + $1.value.byteCount }
    }
}

/// The number of one rule with certain parameters.
package struct ViewUseID: Hashable, Sendable {
    let shape: Int
    let use: UseNumber
}

/// A library without entities.
private struct NoEntities: ViewEntities {
    func state(of key: ViewKey) -> ViewEntityState { .unknown }
}

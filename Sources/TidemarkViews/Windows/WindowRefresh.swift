import TidemarkModel
import TidemarkStore

/// Brings a window up to date with its use.
struct WindowRefresh {
    private let shapeNumber: Int
    private let plan: ViewPlan
    private let commonAsks: AskCounts
    private let use: CopiedOnWrite<ViewUse>
    let indexes: ViewIndexes
    let reader: ResourceReader
    let limits: ViewLimits
    /// The rows whose reads began, and those whose reads ended: what has to be noted among the dependents.
    private(set) var begun: [(row: RowNumber, reads: FewSet<UInt64>)] = []
    private(set) var ended: [(row: RowNumber, reads: FewSet<UInt64>)] = []
    /// True if several windows may show the same row, which is then rendered once.
    private let sharesRows: Bool
    /// Renders the rows, one after the other; nil until the first one.
    private var evaluation: Evaluation?
    /// The changes that are being applied; empty outside of changes.
    private let changes: [ChangedEntity]

    /// Above this number of changes, rows are rendered as a whole.
    private static let changeCountMax = 64

    init(
        _ shapeNumber: Int, _ shape: ViewShape, _ use: CopiedOnWrite<ViewUse>, _ indexes: ViewIndexes,
        _ reader: ResourceReader, _ limits: ViewLimits, changes: [ChangedEntity] = []
    ) {
        self.changes = changes
        self.shapeNumber = shapeNumber
        plan = shape.plan
        sharesRows = shape.plan.rendersAlike && (use.value.windows.count > 1 || shape.sharesRows(of: use.value))
        commonAsks = shape.commonAsks
        self.use = use
        self.indexes = indexes
        self.reader = reader
        self.limits = limits
    }

    /// Updates the window.
    ///
    /// - Parameters:
    ///   - dirty: The rows that may look different although they stay.
    ///   - steps: What the change did to the rows of the result; nil if that is not known.
    /// - Returns: The operations, and the keys of added rows.
    /// - Complexity: O(dirty · log n) if at most one row entered, left or moved; otherwise O(window). In addition the
    ///   rendering of the rows that enter or may look different.
    mutating func update(
        _ window: inout ViewWindow, dirty: Set<RowNumber>, steps: [RowStep]?
    ) -> (patch: [ViewPatchOperation], addedKeys: [ViewRowKey]) {
        var patch: [ViewPatchOperation] = []
        var addedKeys: [ViewRowKey] = []
        let operations = known(steps, &window) ?? compared(&window)
        var added: Set<RowNumber> = []
        RowDifference.append(operations, at: [], to: &patch) { handle in
            addedKeys.append(key(of: handle.rawValue))
            added.insert(handle.rawValue)
            return show(render(handle.rawValue), handle.rawValue, &window).text
        }
        var stays: [(index: Int, number: RowNumber)] = []
        for number in dirty where window.shown[number] != nil && !added.contains(number) {
            guard let index = use.value.rows.key(of: number).flatMap({ use.value.rows.index(of: $0) }) else { continue }
            stays.append((index - window.offset, number))
        }
        for (index, number) in stays.sorted(by: { $0.index < $1.index }) {
            guard let former = window.shown[number]?.row else { continue }
            let row = regroup(number, &window) ?? renderAgain(number, &window)
            guard former != row else { continue }
            RowDifference.append(former, row, at: PatchPath.element([], index), to: &patch)
        }
        return (patch, addedKeys)
    }

    /// The steps of the window, if those of the result tell them; nil if both have to be compared.
    private mutating func known(_ steps: [RowStep]?, _ window: inout ViewWindow) -> [ListOperation<ListHandle>]? {
        guard let steps, !window.isTooLarge else { return nil }
        guard let step = steps.first else { return [] }
        let countBefore = use.value.rows.count + (step.from == nil ? 0 : 1) - (step.to == nil ? 0 : 1)
        let edge = WindowEdge(offset: window.offset, limit: window.limit)
        guard window.order.count == edge.count(of: countBefore),
            edge.count(of: use.value.rows.count) <= limits.rowCountMax
        else { return nil }
        let operations = edge.operations(step, countBefore, use.value.rows.count) { use.value.rows.number(at: $0) }
        for operation in operations {
            switch operation {
            case .remove(let index): hide(window.order.remove(at: index), &window)
            case .add(let handle, let index): window.order.insert(handle.rawValue, at: index)
            case .move(let from, let to): window.order.insert(window.order.remove(at: from), at: to)
            case .replace: break
            }
        }
        return operations
    }

    /// The steps of the window, by comparing its rows with those of the result.
    private mutating func compared(_ window: inout ViewWindow) -> [ListOperation<ListHandle>] {
        var order = use.value.rows.numbers(offset: window.offset, limit: window.limit)
        window.isTooLarge = order.count > limits.rowCountMax
        if window.isTooLarge { order = [] }
        let before = window.order.map { ListHandle(rawValue: $0) }
        let after = order.map { ListHandle(rawValue: $0) }
        let staying = Set(order)
        for number in window.order where !staying.contains(number) { hide(number, &window) }
        window.order = order
        return ListDifference.operations(from: before, to: after) { _ in false }
    }

    /// Renders a shown row again. What it reads usually stays, and then nothing has to be noted.
    private mutating func renderAgain(_ number: RowNumber, _ window: inout ViewWindow) -> RenderedRow {
        if !sharesRows, plan.body.includes.isEmpty, case .row(let row)? = use.value.rows.key(of: number) {
            // It reads its own entities, which it keeps.
            let rendered = rendered(row, log: nil)
            window.shown[number]?.row = rendered
            return rendered
        }
        let shown = render(number)
        if let former = window.shown[number], former.missing.isEmpty, shown.missing.isEmpty, former.reads == shown.reads
        {
            window.shown[number] = shown
            return shown.row
        }
        hide(number, &window)
        return show(shown, number, &window)
    }

    /// Adds changed matches to the aggregates of a row's includes.
    ///
    /// - Returns: nil if the row has to be rendered as a whole: one of its own entities changed, or an include has more
    ///   than aggregates without joins.
    /// - Complexity: O(changes · includes), however many matches there are.
    private mutating func regroup(_ number: RowNumber, _ window: inout ViewWindow) -> RenderedRow? {
        let body = plan.body
        guard !body.includes.isEmpty, !changes.isEmpty, changes.count <= WindowRefresh.changeCountMax else {
            return nil
        }
        let types = Set(body.includes.map { $0.body.steps[0].source.type })
        guard types.count == body.includes.count, case .row(let row)? = use.value.rows.key(of: number),
            var shown = window.shown[number]
        else { return nil }
        var evaluation = Evaluation(indexes, plan, reader, use.value.binding)
        for slot in body.rowSlots {
            evaluation.slots[slot] = row[slot]
            if let key = evaluation.key(slot), changes.contains(where: { $0.key == key }) { return nil }
        }
        for (index, include) in body.includes.enumerated() {
            guard let groups = include.steadyGroups, var set = shown.groups[index] else { return nil }
            let type = include.body.steps[0].source.type
            for change in changes where change.key.type == type {
                let old = evaluation.contribution(change.key, change.oldResource, include.body, groups)
                let new = evaluation.contribution(change.key, change.newResource, include.body, groups)
                if let old {
                    set.remove(old)
                    shown.entities.remove(change.key)
                }
                if let new {
                    set.add(new)
                    shown.entities.insert(change.key)
                }
            }
            shown.groups[index] = set
            shown.row.includes[index].content = evaluation.content(of: set, include.body, groups)
        }
        window.shown[number] = shown
        return shown.row
    }

    private mutating func hide(_ number: RowNumber, _ window: inout ViewWindow) {
        guard let shown = window.shown.removeValue(forKey: number) else { return }
        ended.append((number, shown.reads))
        for key in shown.missing { window.missing.change(key, by: -1) }
    }

    private mutating func show(
        _ shown: ViewWindow.Shown, _ number: RowNumber, _ window: inout ViewWindow
    ) -> RenderedRow {
        for key in shown.missing { window.missing.change(key, by: 1) }
        begun.append((number, shown.reads))
        window.shown[number] = shown
        return shown.row
    }

    /// The row with some entities.
    private mutating func rendered(_ row: RowTuple, log: ReadLog?) -> RenderedRow {
        var evaluation = self.evaluation.take() ?? Evaluation(indexes, plan, reader, use.value.binding)
        evaluation.log = log
        for slot in plan.body.rowSlots { evaluation.slots[slot] = row[slot] }
        let rendered = evaluation.row(plan.body, keepsGroups: true)
        self.evaluation = evaluation
        return rendered
    }

    private mutating func render(_ number: RowNumber) -> ViewWindow.Shown {
        switch use.value.rows.key(of: number) {
        case .row(let row)?:
            let place = ShownRow(shape: shapeNumber, row: row)
            if sharesRows, let shown = reader.shown[place] { return shown }
            let log = ReadLog()
            let rendered = rendered(row, log: log)
            let shown = ViewWindow.Shown(
                row: rendered, reads: log.reads, missing: log.missing, entities: log.entities, groups: log.groups)
            if sharesRows { reader.shown[place] = shown }
            return shown
        case .group(let key)?:
            let row = use.value.groups?.row(key, use.value.binding)
            let text = row.flatMap { row in plan.groups.map { Evaluation.text(row, $0) } } ?? []
            return ViewWindow.Shown(row: RenderedRow(own: text))
        case nil: return ViewWindow.Shown(row: RenderedRow(own: []))
        }
    }

    /// The key of a row, for those who read results.
    func key(of number: RowNumber) -> ViewRowKey {
        switch use.value.rows.key(of: number) {
        case .row(let row)?:
            .entities(
                plan.body.rowSlots.map { slot in
                    row[slot] == EntityTable.none ? nil : indexes.table.key(of: row[slot])
                })
        case .group(let key)?:
            .group(groupValues(key))
        case nil: .group([])
        }
    }

    /// The values of a group's row that form the group.
    private func groupValues(_ key: [UInt8]) -> [[UInt8]?] {
        let row = use.value.groups?.row(key, use.value.binding)
        return Array((row?.values ?? []).prefix(plan.groups?.keys?.count ?? 0))
    }

    /// The number of different entities that are asked for and unknown.
    func missingCount(_ window: ViewWindow) -> Int {
        let common = commonAsks
        let own = use.value.asks.keys.count { !common.contains($0) }
        let shown = window.missing.keys.count { !common.contains($0) && !use.value.asks.contains($0) }
        return common.count + own + shown
    }
}

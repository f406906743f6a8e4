import TidemarkModel
import TidemarkStore

/// A source of a plan: its relation, and how it is joined.
final class PlanSource: Sendable {
    /// The number of the source among all of the plan.
    let number: Int
    let slot: Int
    let alias: String
    /// The cache's own name of the type.
    let type: ByteString
    let relation: Int
    let conditions: [PlanCondition]
    /// The part of the source's `where` that reads other sources, but no parameter.
    let residual: ViewPredicate?
    /// The part of the source's `where` that reads parameters.
    let deferred: ViewPredicate?
    /// The whole `where`, for explanations.
    let filter: ViewPredicate?
    /// The step of the view whose rows the source decides on; the number of steps for a source of an include.
    let step: Int
    /// True for a source that is a part of the view's rows.
    let isRow: Bool
    let place: String
    /// The condition that leads from an entity of this source to an earlier source; nil if only parameters do.
    let anchor: Int?
    /// True if a condition asks for entities that the cache may not know.
    let asks: Bool
    /// True if a parameter decides on a condition.
    let hasParameter: Bool

    init(
        number: Int, slot: Int, alias: String, type: ByteString, relation: Int, conditions: [PlanCondition],
        residual: ViewPredicate?, deferred: ViewPredicate?, filter: ViewPredicate?, step: Int, isRow: Bool,
        place: String
    ) {
        self.number = number
        self.slot = slot
        self.alias = alias
        self.type = type
        self.relation = relation
        self.conditions = conditions
        self.residual = residual
        self.deferred = deferred
        self.filter = filter
        self.step = step
        self.isRow = isRow
        self.place = place
        anchor = conditions.firstIndex { $0.rightSlot != nil }
        asks = conditions.contains { $0.asks }
        hasParameter = conditions.contains { $0.hasParameter }
    }
}

/// A condition of `on` as a comparison of join keys.
final class PlanCondition: Sendable {
    enum Right: Sendable {
        /// The keys of an earlier source's entity, with the number of that source and the index of its relation over
        /// them; nil for its identity, and where changes do not have to be followed backwards.
        case source(slot: Int, KeyExtractor, source: Int, index: Int?)
        /// The keys of a parameter's value.
        case parameter(Int, KeyExtractor)
    }

    let left: KeyExtractor
    /// The index of the source's own relation over ``left``; nil for its identity.
    let leftIndex: Int?
    let right: Right
    let place: String
    let text: [UInt8]
    /// True if the condition asks for the entity to which a value or a parameter refers, which the cache may not know.
    let asks: Bool
    /// True if the right side is a parameter.
    let hasParameter: Bool

    init(
        left: KeyExtractor, leftIndex: Int?, right: Right, place: String, text: [UInt8]
    ) {
        self.left = left
        self.leftIndex = leftIndex
        self.right = right
        self.place = place
        self.text = text
        switch right {
        case .source(_, .references, _, _):
            asks = left == .identity
            hasParameter = false
        case .source:
            asks = false
            hasParameter = false
        case .parameter:
            asks = left == .identity
            hasParameter = true
        }
    }

    var rightSlot: Int? {
        if case .source(let slot, _, _, _) = right { slot } else { nil }
    }
}

/// One step of a plan.
final class PlanStep: Sendable {
    let kind: ViewStep.Kind
    let source: PlanSource
    /// The steps that have to match inside `exists` and `absent`, the source itself first.
    let checkSteps: [PlanStep]
    /// True if the step asks for entities that the cache may not know.
    let asks: Bool
    /// True if the step asks for an entity to which a parameter refers.
    let asksByParameter: Bool
    /// True if a parameter decides on the step.
    let hasParameter: Bool

    init(
        kind: ViewStep.Kind, source: PlanSource, checkSteps: [PlanStep]
    ) {
        self.kind = kind
        self.source = source
        self.checkSteps = checkSteps
        asks = source.asks || checkSteps.contains { $0.asks }
        asksByParameter =
            source.conditions.contains { $0.asks && $0.hasParameter } || checkSteps.contains { $0.asksByParameter }
        hasParameter = source.hasParameter || source.deferred != nil || checkSteps.contains { $0.hasParameter }
    }
}

/// An include of a plan.
final class PlanInclude: Sendable {
    let name: [UInt8]
    let body: PlanBody
    let isOne: Bool
    /// True if a parameter decides on what the include shows.
    let hasParameter: Bool

    init(
        name: [UInt8], body: PlanBody, isOne: Bool
    ) {
        self.name = name
        self.body = body
        self.isOne = isOne
        var found = body.deferred != nil || body.steps.contains { $0.hasParameter }
        if case .groups(let groups) = body.output, groups.hasParameter { found = true }
        hasParameter = found || body.includes.contains { $0.hasParameter }
    }

    /// The aggregates, if a change of one match can be added to them and taken away: the include has no joins, and asks
    /// for no entity that the cache may not know.
    var steadyGroups: ViewGroups? {
        guard case .groups(let groups) = body.output, body.steps.count == 1, !body.steps[0].asks else { return nil }
        return groups
    }
}

/// The steps of a view or an include, and what is made of their rows.
final class PlanBody: Sendable {
    let steps: [PlanStep]
    /// The part of `where` that reads no parameter.
    let filter: ViewPredicate?
    /// The part of `where` that reads parameters.
    let deferred: ViewPredicate?
    let output: ViewOutput
    let includes: [PlanInclude]
    let order: [ViewOrder]
    let offset: Int
    let limit: Int?
    /// The slots of the sources that a row consists of.
    let rowSlots: [Int]

    init(
        steps: [PlanStep], filter: ViewPredicate?, deferred: ViewPredicate?, output: ViewOutput,
        includes: [PlanInclude], order: [ViewOrder], offset: Int, limit: Int?, rowSlots: [Int]
    ) {
        self.steps = steps
        self.filter = filter
        self.deferred = deferred
        self.output = output
        self.includes = includes
        self.order = order
        self.offset = offset
        self.limit = limit
        self.rowSlots = rowSlots
    }
}

import TidemarkModel
import TidemarkStore

/// The part that a view and an include have in common: sources, a filter, and what is made of the rows.
struct ViewBody: Sendable {
    /// The sources in order, `from` first.
    var steps: [ViewStep] = []
    /// The condition on the joined rows.
    var filter: ViewPredicate?
    var output = ViewOutput.resource(slot: 0)
    /// The includes in the order of the rule.
    var includes: [ViewInclude] = []
    /// The components of the order.
    var order: [ViewOrder] = []
    var offset = 0
    /// The most rows of the result; nil for all.
    var limit: Int?

    /// The slots of the sources that a row consists of: neither `exists` nor `absent`.
    var rowSlots: [Int] { steps.filter { !$0.kind.isCheck }.map(\.source.slot) }

    /// Calls `action` for every source, those inside checks and includes too.
    func forEachSource(_ action: (ViewSource) -> Void) {
        for step in steps { step.forEachSource(action) }
        for include in includes { include.body.forEachSource(action) }
    }
}

/// One source of a view, with how it is joined.
struct ViewStep: Sendable {
    /// The kinds of sources.
    enum Kind: Sendable {
        case from, inner, left, exists, absent

        /// True if the source only decides whether a row stays.
        var isCheck: Bool { self == .exists || self == .absent }
    }

    var kind: Kind
    var source: ViewSource
    /// The joins of `exists` and `absent`.
    var joins: [ViewStep] = []

    /// The source and the joins of a check, as steps that have to match.
    var checkSteps: [ViewStep] { [ViewStep(kind: .inner, source: source)] + joins }

    func forEachSource(_ action: (ViewSource) -> Void) {
        action(source)
        for join in joins { join.forEachSource(action) }
    }
}

/// A type of entities under an alias.
struct ViewSource: Sendable {
    /// The number of the source among those that can be seen together.
    var slot: Int
    var alias: String
    var type: ByteString
    /// The conditions of `on`; all must hold.
    var conditions: [ViewCondition] = []
    /// The condition of the source's own `where`.
    var filter: ViewPredicate?
    /// The JSON Pointer to the source in the rule.
    var place: String
}

/// One condition of `on`.
struct ViewCondition: Sendable {
    enum Left: Hashable, Sendable {
        /// The joined entity itself.
        case key
        /// A value of the joined resource, or every element of it.
        case value(RulePointer, everyElement: Bool)
    }

    enum Right: Sendable {
        case path(ViewPath, everyElement: Bool)
        /// The entity of an earlier source.
        case entity(slot: Int)
        case parameter(Int)
    }

    var left: Left
    var right: Right
    var place: String
    /// The condition as JSON, for explanations.
    var text: [UInt8]
}

/// A value of a source's resource.
struct ViewPath: Hashable, Sendable {
    var slot: Int
    var pointer: RulePointer
}

/// A value that a predicate or an order reads.
enum ViewReference: Hashable, Sendable {
    /// A value of a source.
    case source(ViewPath)
    /// A value inside a member of a row of groups.
    case member(Int, RulePointer)
    /// A value inside the aggregates of an include.
    case include(Int, RulePointer)
}

/// What a body makes of its rows.
enum ViewOutput: Sendable {
    /// The resource of the only source.
    case resource(slot: Int)
    /// An object of alias and resource.
    case resources([(name: [UInt8], slot: Int)])
    /// The selected members.
    case members([(name: [UInt8], path: ViewPath)])
    /// One row for each group.
    case groups(ViewGroups)
}

/// The groups and aggregates of a body.
struct ViewGroups: Sendable {
    /// The members that form the groups; nil if there is only the one row of `aggregates`.
    var keys: [(name: [UInt8], path: ViewPath)]?
    var aggregates: [ViewAggregate] = []
    var having: ViewPredicate?

    /// True if a parameter decides on what a row adds to an aggregate, or on the groups that are shown.
    var hasParameter: Bool {
        having?.hasParameter ?? false || aggregates.contains { $0.filter?.hasParameter ?? false }
    }
}

/// One aggregate.
struct ViewAggregate: Sendable {
    enum Function: String, Sendable, CaseIterable {
        case count
        case countDistinct = "count_distinct"
        case sum, avg, min, max
    }

    var name: [UInt8]
    var function: Function
    /// The aggregated value; nil for `{"count": true}`.
    var path: ViewPath?
    var filter: ViewPredicate?
}

/// One component of an order.
struct ViewOrder: Sendable {
    var reference: ViewReference
    var isDescending: Bool
}

/// A nested result.
struct ViewInclude: Sendable {
    var name: [UInt8]
    var body: ViewBody
    /// True for the first row or null, in place of a list.
    var isOne: Bool
    var place: String
}

import TidemarkModel
import TidemarkStore

/// How the rows of a rule are found and kept.
///
/// - Source: docs/decisions/0028-views.md.
final class ViewPlan: Sendable {
    let rule: ViewRule
    let body: PlanBody
    /// The sources whose changes can change rows.
    let sources: [PlanSource]
    /// The numbers of these sources by the cache's own names of their types.
    let sourcesByType: [ByteString: [Int]]
    /// For each of these sources, the values of its resource that can change rows.
    let structure: [PlanStructure]
    /// How uses with different parameters are told apart; nil if each use walks for itself.
    let route: PlanRoute?
    /// The relations of the plan, each as often as it is used.
    let relations: [Int]
    /// The includes that `where` or `order` of the view read.
    let structuralIncludes: Set<Int>
    /// True if a step asks for entities that the cache may not know.
    let asks: Bool
    /// The steps up to and with the first one that a parameter decides on.
    private let deferredFrom: Int
    /// True if a row adds the same to every use by whose parameters it is found.
    let contributesAlike: Bool
    /// True if a row looks the same in every use.
    let rendersAlike: Bool
    /// The steps up to and with the first one that has to be examined for each use; those of checks are not.
    private let checkedFrom: Int

    init(
        rule: ViewRule, body: PlanBody, sources: [PlanSource], sourcesByType: [ByteString: [Int]],
        structure: [PlanStructure], route: PlanRoute?, relations: [Int], structuralIncludes: Set<Int>
    ) {
        self.rule = rule
        self.body = body
        self.sources = sources
        self.sourcesByType = sourcesByType
        self.structure = structure
        self.route = route
        self.relations = relations
        self.structuralIncludes = structuralIncludes
        asks = body.steps.contains { $0.asks }
        checkedFrom = ViewPlan.checkedFrom(body, route)
        contributesAlike = ViewPlan.contributesAlike(body, route)
        rendersAlike = !body.includes.contains { $0.hasParameter }
        deferredFrom = body.steps.firstIndex { $0.hasParameter }.map { $0 + 1 } ?? .max
    }

    /// The number of steps.
    var end: Int { body.steps.count }

    /// True if a row's uses have to be examined one by one for the steps before another one, because a parameter
    /// decides on more than the condition by which they are found.
    func checksParameters(before step: Int) -> Bool { checkedFrom <= step }

    private static func checkedFrom(_ body: PlanBody, _ route: PlanRoute?) -> Int {
        for (position, step) in body.steps.enumerated() where !step.kind.isCheck && step.hasParameter {
            for (index, condition) in step.source.conditions.enumerated() where condition.hasParameter {
                if case .condition(position, index)? = route?.origin { continue }
                return position + 1
            }
            if let deferred = step.source.deferred, !decides(route, deferred) { return position + 1 }
        }
        return .max
    }

    private static func contributesAlike(_ body: PlanBody, _ route: PlanRoute?) -> Bool {
        if case .groups(let groups) = body.output, groups.hasParameter { return false }
        return body.deferred.map { decides(route, $0) } ?? true
    }

    /// Returns true if a condition is the one by which the uses of a row are found.
    private static func decides(_ route: PlanRoute?, _ condition: ViewPredicate) -> Bool {
        guard let route, case .value(let path) = route.origin, let only = condition.equalParameter else { return false }
        return only.path == path && only.parameter == route.parameter
    }

    /// True if a parameter decides on a step before another one.
    func isDeferred(before step: Int) -> Bool { deferredFrom <= step }

    /// The groups, if a result has one row for each of them; otherwise nil.
    var groups: ViewGroups? {
        if case .groups(let groups) = body.output { groups } else { nil }
    }
}

/// The condition by which a row finds the uses that show it.
struct PlanRoute: Sendable {
    enum Origin: Sendable {
        /// A value of the row.
        case value(ViewPath)
        /// The left side of a condition with a parameter, of a joined source.
        case condition(step: Int, condition: Int)
        /// The left side of a condition with a parameter, of an `exists`: one key for each match.
        case check(step: Int, condition: Int)
    }

    let origin: Origin
    let parameter: Int
    /// Makes the keys of the parameter's value.
    let extractor: KeyExtractor
    /// The relation and the index that have the rows' entities by these keys; nil if none has.
    let entries: (source: Int, relation: Int, index: Int?)?
    /// The step after which the keys are known.
    let step: Int
}

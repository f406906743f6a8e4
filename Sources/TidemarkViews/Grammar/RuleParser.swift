import TidemarkStore

/// Parses a view's rule and checks every name in it.
struct RuleParser {
    let limits: ViewLimits
    /// The names of the parameters so far, in the order of their first use.
    private(set) var parameters: [[UInt8]] = []
    var parameterUses: [ParameterUse] = []
    private(set) var hasTotal = false
    /// The slots that are needed at once, so far.
    var slotCountMax = 0
    var predicateCount = 0
    var alternativeCount = 0
    var includeCount = 0

    init(limits: ViewLimits) {
        self.limits = limits
    }

    /// Parses the rule of a view.
    mutating func view(_ node: RuleNode) throws(ViewRuleError) -> ViewBody {
        let rule = try RuleObject(
            node, at: "",
            knows: [
                "from", "joins", "where", "group", "aggregates", "having", "include", "select", "order", "limit",
                "offset", "total",
            ])
        guard let from = rule.present("from") else {
            throw ViewRuleError("/from", "is missing; name the first source, such as {\"type\": \"issue\"}")
        }
        var frame = BodyFrame(scope: RuleScope(), slot: 0, includeDepth: 0)
        var body = ViewBody()
        body.steps.append(try self.from(from, at: rule.place("from"), &frame))
        try joins(of: rule, into: &body, &frame)
        try results(of: rule, into: &body, frame)
        let meaning = PathMeaning(scope: frame.scope, slash: .aggregates(body.includes))
        if let node = rule.present("where") {
            body.filter = try predicate(node, at: rule.place("where"), meaning)
        }
        if let node = rule.present("total") { hasTotal = try node.flag(at: rule.place("total")) }
        return body
    }

    /// Returns the number of a parameter.
    mutating func parameter(_ name: RuleNode, at place: String) throws(ViewRuleError) -> Int {
        let name = try name.text(at: place)
        guard !name.isEmpty else { throw ViewRuleError(place, "is empty; write the parameter's name") }
        if let index = parameters.firstIndex(of: name) { return index }
        parameters.append(name)
        parameterUses.append(ParameterUse())
        return parameters.count - 1
    }
}

/// What the parser knows while it reads a view or an include.
struct BodyFrame {
    var scope: RuleScope
    /// The slot of the next source.
    var slot: Int
    /// The number of includes around.
    let includeDepth: Int
    /// The sources of this body so far, those inside checks too.
    var sourceCount = 0
    /// For an include, the slot of its main source.
    var ownSlot: Int?

    init(scope: RuleScope, slot: Int, includeDepth: Int) {
        self.scope = scope
        self.slot = slot
        self.includeDepth = includeDepth
    }

    /// What paths mean in `group`, `aggregates` and `select`.
    var meaning: PathMeaning {
        PathMeaning(scope: scope, slash: ownSlot.map { PathMeaning.Slash.own(slot: $0) } ?? .nothing)
    }
}

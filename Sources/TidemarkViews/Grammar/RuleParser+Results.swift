import TidemarkModel
import TidemarkStore

extension RuleParser {
    /// Parses what a body makes of its rows: groups, includes, selected members, order and window.
    mutating func results(
        of rule: RuleObject, into body: inout ViewBody, _ frame: BodyFrame
    ) throws(ViewRuleError) {
        if let groups = try groups(of: rule, frame) {
            for name in ["include", "select"] where rule.present(name) != nil {
                throw ViewRuleError(
                    rule.place(name), "is not allowed with group or aggregates; their rows are the result")
            }
            body.output = .groups(groups)
        } else {
            guard rule.present("having") == nil else {
                throw ViewRuleError(rule.place("having"), "is only allowed with groups; write where")
            }
            body.output = try output(of: rule, body, frame)
            body.includes = try includes(of: rule, frame)
        }
        try order(of: rule, into: &body, frame)
        if let node = rule.present("limit") { body.limit = try node.integer(from: 1, at: rule.place("limit")) }
        if let node = rule.present("offset") { body.offset = try node.integer(from: 0, at: rule.place("offset")) }
    }

    private func output(
        of rule: RuleObject, _ body: ViewBody, _ frame: BodyFrame
    ) throws(ViewRuleError) -> ViewOutput {
        guard let select = rule.present("select") else {
            let sources = body.steps.filter { !$0.kind.isCheck }.map(\.source)
            guard sources.count > 1 else { return .resource(slot: sources.first?.slot ?? 0) }
            return .resources(sources.map { (Array($0.alias.utf8), $0.slot) })
        }
        let place = rule.place("select")
        var members: [(name: [UInt8], path: ViewPath)] = []
        for member in try select.members(at: place) {
            let path = try sourcePath(member.value, at: place + RulePlace.token(member.name), frame.meaning)
            members.append((member.name, path))
        }
        return .members(members)
    }

    private mutating func includes(of rule: RuleObject, _ frame: BodyFrame) throws(ViewRuleError) -> [ViewInclude] {
        guard let node = rule.present("include") else { return [] }
        let place = rule.place("include")
        var includes: [ViewInclude] = []
        for member in try node.members(at: place) {
            includes.append(try include(member, at: place + RulePlace.token(member.name), frame))
        }
        return includes
    }

    private mutating func include(
        _ member: RuleNode.Member, at place: String, _ outer: BodyFrame
    ) throws(ViewRuleError) -> ViewInclude {
        includeCount += 1
        guard includeCount <= limits.includeCountMax else {
            throw ViewRuleError(place, "is one include more than \(limits.includeCountMax)")
        }
        guard outer.includeDepth < limits.includeDepthMax else {
            throw ViewRuleError(place, "nests includes deeper than \(limits.includeDepthMax) levels")
        }
        let rule = try RuleObject(
            member.value, at: place,
            knows: [
                "type", "as", "on", "where", "joins", "include", "group", "aggregates", "having", "select", "order",
                "limit", "offset", "one",
            ])
        var frame = BodyFrame(scope: outer.scope, slot: outer.slot, includeDepth: outer.includeDepth + 1)
        var body = ViewBody()
        let source = try mainSource(rule, &frame)
        frame.ownSlot = source.slot
        body.steps.append(ViewStep(kind: .inner, source: source))
        try joins(of: rule, into: &body, &frame)
        if let node = rule.present("where") { try filter(node, at: rule.place("where"), into: &body, frame) }
        try results(of: rule, into: &body, frame)
        let isOne = try rule.present("one").map { node throws(ViewRuleError) in try node.flag(at: rule.place("one")) }
        if isOne == true, case .groups = body.output {
            throw ViewRuleError(rule.place("one"), "is not allowed with group or aggregates")
        }
        if rule.present("having") != nil, rule.present("group") == nil {
            throw ViewRuleError(rule.place("having"), "is only allowed with group")
        }
        if case .groups(let groups) = body.output, groups.keys == nil {
            for name in ["order", "limit", "offset"] where rule.present(name) != nil {
                throw ViewRuleError(rule.place(name), "is not allowed with aggregates alone: there is one object")
            }
        }
        return ViewInclude(name: member.name, body: body, isOne: isOne ?? false, place: place)
    }

    /// Parses the main source of an include, without its `where`, which may use the joins behind it.
    private mutating func mainSource(_ rule: RuleObject, _ frame: inout BodyFrame) throws(ViewRuleError) -> ViewSource {
        let members = ["type", "as", "on"].compactMap { name in
            rule.present(name).map { RuleNode.Member(name: Array(name.utf8), value: $0) }
        }
        let object = try RuleObject(.object(members), at: rule.place, knows: ["type", "as", "on"])
        return try filteredSource(object, &frame)
    }

    /// Parses the `where` of an include. It belongs to the main source unless it uses the joins behind it.
    private mutating func filter(
        _ node: RuleNode, at place: String, into body: inout ViewBody, _ frame: BodyFrame
    ) throws(ViewRuleError) {
        let predicate = try predicate(node, at: place, frame.meaning)
        let main = body.steps[0].source.slot
        var usesJoins = false
        predicate.forEachTest { test in
            test.forEachReference { reference in
                if case .source(let path) = reference, path.slot > main { usesJoins = true }
            }
        }
        if usesJoins { body.filter = predicate } else { body.steps[0].source.filter = predicate }
    }

    private mutating func order(
        of rule: RuleObject, into body: inout ViewBody, _ frame: BodyFrame
    ) throws(ViewRuleError) {
        guard let node = rule.present("order") else { return }
        let place = rule.place("order")
        let components = try node.elements(at: place)
        guard components.count <= MembershipParser.orderComponentCountMax else {
            throw ViewRuleError(place, "has more than \(MembershipParser.orderComponentCountMax) components")
        }
        var scope = frame.scope
        if case .groups = body.output { scope = RuleScope() }
        let names = RowNames(output: body.output, includes: body.includes)
        for (index, component) in components.enumerated() {
            let object = try RuleObject(component, at: "\(place)/\(index)", knows: ["path", "direction"])
            guard let path = object.present("path") else {
                throw ViewRuleError(object.place("path"), "is missing; write a path such as \"/created\"")
            }
            let reference = try reference(
                path, at: object.place("path"), PathMeaning(scope: scope, slash: .output(names)))
            body.order.append(ViewOrder(reference: reference, isDescending: try isDescending(object)))
        }
    }

    private func isDescending(_ object: RuleObject) throws(ViewRuleError) -> Bool {
        guard let node = object.present("direction") else { return false }
        let place = object.place("direction")
        let name = String(decoding: try node.text(at: place), as: UTF8.self)
        switch name {
        case "asc", "ascending": return false
        case "desc", "descending": return true
        default:
            throw ViewRuleError(
                place, "is not a direction; write asc or desc",
                nearest: NearestName.of(ByteString(name), among: ["asc", "desc", "ascending", "descending"]))
        }
    }
}

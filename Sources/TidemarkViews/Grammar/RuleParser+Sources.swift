import TidemarkModel
import TidemarkStore

extension RuleParser {
    mutating func from(
        _ node: RuleNode, at place: String, _ frame: inout BodyFrame
    ) throws(ViewRuleError) -> ViewStep {
        if case .string(let type) = node {
            let source = try source(RuleNode.string(type), alias: nil, at: (place, place), place: place, &frame)
            return ViewStep(kind: .from, source: source)
        }
        let object = try RuleObject(node, at: place, knows: ["type", "as", "where"])
        return ViewStep(kind: .from, source: try filteredSource(object, &frame))
    }

    mutating func joins(
        of rule: RuleObject, into body: inout ViewBody, _ frame: inout BodyFrame
    ) throws(ViewRuleError) {
        guard let node = rule.present("joins") else { return }
        let place = rule.place("joins")
        for (index, element) in try node.elements(at: place).enumerated() {
            body.steps.append(try join(element, at: "\(place)/\(index)", checkDepth: 0, &frame))
        }
    }

    private mutating func join(
        _ node: RuleNode, at place: String, checkDepth: Int, _ frame: inout BodyFrame
    ) throws(ViewRuleError) -> ViewStep {
        let object = try RuleObject(node, at: place, knows: ["type", "as", "kind", "on", "where", "joins"])
        let kind = try kind(object)
        let outer = frame.scope
        var step = ViewStep(kind: kind, source: try filteredSource(object, &frame))
        guard kind.isCheck else {
            guard object.present("joins") == nil else {
                throw ViewRuleError(object.place("joins"), "is only allowed in exists and absent; add the join behind")
            }
            return step
        }
        guard checkDepth < limits.checkDepthMax else {
            throw ViewRuleError(place, "nests exists and absent deeper than \(limits.checkDepthMax) levels")
        }
        if let joins = object.present("joins") {
            let place = object.place("joins")
            for (index, element) in try joins.elements(at: place).enumerated() {
                step.joins.append(
                    try join(element, at: "\(place)/\(index)", checkDepth: checkDepth + 1, &frame))
            }
        }
        let inner = frame.scope
        frame.scope = outer
        frame.scope.hide(inner)
        return step
    }

    private func kind(_ object: RuleObject) throws(ViewRuleError) -> ViewStep.Kind {
        guard let node = object.present("kind") else { return .inner }
        let place = object.place("kind")
        let name = String(decoding: try node.text(at: place), as: UTF8.self)
        switch name {
        case "inner": return .inner
        case "left": return .left
        case "exists": return .exists
        case "absent": return .absent
        default:
            throw ViewRuleError(
                place, "is not a kind; write inner, left, exists or absent",
                nearest: NearestName.of(ByteString(name), among: ["inner", "left", "exists", "absent"]))
        }
    }

    /// Parses `type`, `as`, `on` and `where` of a source.
    mutating func filteredSource(
        _ object: RuleObject, _ frame: inout BodyFrame
    ) throws(ViewRuleError) -> ViewSource {
        guard let type = object.present("type") else {
            throw ViewRuleError(object.place("type"), "is missing; name the type of the entities")
        }
        let earlier = frame.scope
        var source = try source(
            type, alias: object.present("as"), at: (object.place("type"), object.place("as")), place: object.place,
            &frame)
        if object.place != "/from" {
            source.conditions = try conditions(object, earlier)
        }
        if let node = object.present("where") {
            let meaning = PathMeaning(scope: frame.scope, slash: .own(slot: source.slot))
            source.filter = try predicate(node, at: object.place("where"), meaning)
        }
        return source
    }

    private mutating func source(
        _ type: RuleNode, alias: RuleNode?, at places: (type: String, alias: String), place: String,
        _ frame: inout BodyFrame
    ) throws(ViewRuleError) -> ViewSource {
        let name = try type.text(at: places.type)
        let isType = name.allSatisfy { RuleParser.isWordByte($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard isType, 1...128 ~= name.count else {
            throw ViewRuleError(places.type, "is not a type; write 1 to 128 of A-Z a-z 0-9 _ . -")
        }
        var aliasName = name
        if let alias { aliasName = try alias.text(at: places.alias) }
        let isAlias = aliasName.allSatisfy { RuleParser.isWordByte($0) }
        guard isAlias, 1...64 ~= aliasName.count else {
            throw ViewRuleError(
                alias == nil ? places.type : places.alias,
                "is not an alias; write as with 1 to 64 of A-Z a-z 0-9 _")
        }
        let word = String(decoding: aliasName, as: UTF8.self)
        guard !frame.scope.uses(word) else {
            throw ViewRuleError(
                alias == nil ? places.type : places.alias, "uses the alias \"\(word)\" again; write another as")
        }
        frame.sourceCount += 1
        guard frame.sourceCount <= min(limits.sourceCountMax, ViewLimits.sourceCountCeiling) else {
            throw ViewRuleError(place, "is one source more than \(limits.sourceCountMax)")
        }
        let slot = frame.slot
        frame.slot += 1
        slotCountMax = max(slotCountMax, frame.slot)
        frame.scope.define(word, slot: slot)
        return ViewSource(slot: slot, alias: word, type: ByteString(name), place: place)
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

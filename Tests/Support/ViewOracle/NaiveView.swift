import TidemarkModel
import TidemarkReferenceModel
import TidemarkViews

/// The key of an entity in the naive model.
package struct NaiveKey: Hashable {
    var type: String
    var id: String

    package init(type: String, id: String) {
        self.type = type
        self.id = id
    }

    var text: String { "\(type):\(id)" }
}

/// A rule, evaluated word for word over a dictionary: all joins by trying every pair, nothing kept.
///
/// It shares no code with the operators; of the reference model it uses JSON values and their comparison.
package struct NaiveView {
    typealias Row = [String: NaiveKey?]

    let rule: ReferenceJSON
    let parameters: [String: ReferenceJSON]
    let entities: [NaiveKey: ReferenceJSON]
    let deleted: Set<NaiveKey>
    /// The entities that were asked for and are unknown.
    var missing: Set<NaiveKey> = []

    package init(
        _ rule: ReferenceJSON, _ parameters: [String: ReferenceJSON], _ entities: [NaiveKey: ReferenceJSON],
        deleted: Set<NaiveKey>
    ) {
        self.rule = rule
        self.parameters = parameters
        self.entities = entities
        self.deleted = deleted
    }

    /// Creates the model over the entities of a world.
    ///
    /// - Throws: `ReferenceJSONError` for a resource that is no JSON.
    package init(
        _ rule: ReferenceJSON, _ parameters: [String: ReferenceJSON], _ states: [ViewKey: ViewEntityState]
    ) throws {
        var present: [NaiveKey: ReferenceJSON] = [:]
        var deleted: Set<NaiveKey> = []
        for (key, state) in states {
            let naive = NaiveKey(type: key.type.description, id: key.id.description)
            switch state {
            case .present(let bytes): present[naive] = try ReferenceJSONParser.parse(bytes)
            case .deleted: deleted.insert(naive)
            case .unknown: break
            }
        }
        self.init(rule, parameters, present, deleted: deleted)
    }

    package struct Result: Equatable {
        package var rows: [ReferenceJSON]
        package var total: Int
        package var missing: Int
    }

    /// The result of the view.
    package mutating func result(offset: Int? = nil, limit: Int? = nil) -> Result {
        let from = rule.member("from") ?? .null
        let alias = NaiveView.alias(from)
        var rows: [Row] = []
        for key in keys(of: NaiveView.type(from)) {
            let row: Row = [alias: key]
            if holdsOwn(from.presentMember("where"), row, own: alias) { rows.append(row) }
        }
        rows = joined(rows, rule.presentMember("joins")?.elements ?? [])
        // What includes ask for counts for shown rows only.
        let joinsAsked = missing
        rows = rows.filter { row in
            rule.presentMember("where").map { holds($0, row, include: rule) } ?? true
        }
        missing = joinsAsked
        let offset = offset ?? NaiveView.integer(rule.presentMember("offset")) ?? 0
        let limit = limit ?? NaiveView.integer(rule.presentMember("limit"))
        if rule.presentMember("group") != nil || rule.presentMember("aggregates") != nil {
            let groups = groupRows(rows, rule, own: nil)
            let shown = groups.dropFirst(offset).prefix(limit ?? groups.count)
            return Result(rows: Array(shown), total: groups.count, missing: missing.count)
        }
        let ordered = sorted(rows, rule, sources: rowAliases(rule), own: alias)
        missing = joinsAsked
        let shown = ordered.dropFirst(offset).prefix(limit ?? ordered.count).map { output($0, rule, own: alias) }
        return Result(rows: shown, total: ordered.count, missing: missing.count)
    }

    // MARK: Entities

    static func alias(_ source: ReferenceJSON) -> String {
        source.presentMember("as").map(string) ?? type(source)
    }

    static func type(_ source: ReferenceJSON) -> String {
        source.unescaped.map { String(decoding: $0, as: UTF8.self) } ?? source.member("type").map(string) ?? ""
    }

    static func string(_ value: ReferenceJSON) -> String { String(decoding: value.unescaped ?? [], as: UTF8.self) }

    static func integer(_ value: ReferenceJSON?) -> Int? {
        value?.integerText.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    func keys(of type: String) -> [NaiveKey] { entities.keys.filter { $0.type == type } }

    /// The aliases that a row consists of, in order.
    func rowAliases(_ body: ReferenceJSON) -> [String] {
        var aliases = [NaiveView.alias(body.presentMember("from") ?? body)]
        for join in body.presentMember("joins")?.elements ?? [] {
            let kind = join.presentMember("kind").map(NaiveView.string) ?? "inner"
            if kind == "inner" || kind == "left" { aliases.append(NaiveView.alias(join)) }
        }
        return aliases
    }

    mutating func note(missing key: NaiveKey) { missing.insert(key) }

    // MARK: Values

    /// The value of a path that begins with an alias, or of a pointer into the own source.
    func value(_ path: String, _ row: Row, own: String?) -> ReferenceJSON? {
        var alias = own ?? ""
        var pointer = path
        if !path.isEmpty, !path.hasPrefix("/") {
            alias = String(path.prefix { $0 != "/" })
            pointer = String(path.dropFirst(alias.count))
        }
        guard let key = row[alias] ?? nil, let resource = entities[key] else { return nil }
        return ReferencePointer(Array(pointer.utf8)).value(in: resource)
    }

    /// Evaluates a predicate on sources.
    func holdsOwn(_ predicate: ReferenceJSON?, _ row: Row, own: String?) -> Bool {
        guard let predicate else { return true }
        return holds(predicate) { value($0, row, own: own) }
    }

    /// Evaluates the `where` of a view, in which a pointer leads to an aggregate of an include.
    mutating func holds(_ predicate: ReferenceJSON, _ row: Row, include body: ReferenceJSON) -> Bool {
        var includes: [ReferenceMember] = []
        for include in body.presentMember("include")?.members ?? [] where include.value.member("aggregates") != nil {
            includes.append(ReferenceMember(key: include.key, value: nested(include.value, row)))
        }
        let object = ReferenceJSON.object(includes)
        return holds(predicate) { path in
            path.hasPrefix("/") ? ReferencePointer(Array(path.utf8)).value(in: object) : value(path, row, own: nil)
        }
    }

    func holds(_ predicate: ReferenceJSON, _ value: (String) -> ReferenceJSON?) -> Bool {
        if let all = predicate.member("all") { return (all.elements ?? []).allSatisfy { holds($0, value) } }
        if let any = predicate.member("any") { return (any.elements ?? []).contains { holds($0, value) } }
        if let inner = predicate.member("not") { return !holds(inner, value) }
        let left = value(NaiveView.string(predicate.member("path") ?? .null))
        for member in predicate.members ?? [] where member.key.unescaped != Array("path".utf8) {
            let name = String(decoding: member.key.unescaped, as: UTF8.self)
            if !test(name, left, operand(member.value, value)) { return false }
        }
        return true
    }

    /// The operand of an operator; nil if it is a path without a value.
    private func operand(_ operand: ReferenceJSON, _ value: (String) -> ReferenceJSON?) -> ReferenceJSON? {
        guard let members = operand.members, members.count == 1 else { return operand }
        switch String(decoding: members[0].key.unescaped, as: UTF8.self) {
        case "param": return parameters[NaiveView.string(members[0].value)]
        case "path": return value(NaiveView.string(members[0].value))
        case "value": return members[0].value
        default: return operand
        }
    }

    private func test(_ name: String, _ left: ReferenceJSON?, _ right: ReferenceJSON?) -> Bool {
        if name == "exists" { return right == .bool(left != nil) }
        guard let left, let right else { return name == "ne" }
        let sign = ReferenceComparison.areOneKind(left, right) ? ReferenceComparison.order(left, right) : nil
        switch name {
        case "eq": return ReferenceComparison.areEqual(left, right)
        case "ne": return !ReferenceComparison.areEqual(left, right)
        case "lt": return sign.map { $0 < 0 } ?? false
        case "lte": return sign.map { $0 <= 0 } ?? false
        case "gt": return sign.map { $0 > 0 } ?? false
        case "gte": return sign.map { $0 >= 0 } ?? false
        case "in": return (right.elements ?? []).contains { ReferenceComparison.areEqual(left, $0) }
        case "prefix":
            guard let text = left.unescaped, let start = right.unescaped else { return false }
            return text.starts(with: start)
        default: return false
        }
    }
}

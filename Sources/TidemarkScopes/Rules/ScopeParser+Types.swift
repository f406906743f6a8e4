import TidemarkModel
import TidemarkViews

extension ScopeParser {
    /// Parses `types`.
    func scopeTypes(
        _ scope: RuleObject, _ shared: SharedJoins, _ uses: inout ParameterComparisons
    ) throws(ScopeFileError) -> [ScopeType] {
        let place = scope.place("types")
        guard let node = scope.present("types") else {
            throw ScopeFileError(place, "is missing; name the types that are in the scope")
        }
        var found: [ByteString: ScopeType] = [:]
        for member in try members(node, at: place) {
            let inner = place + RulePlace.token(member.name)
            let written = ByteString(member.name)
            let type = types[written] ?? written
            guard found[type] == nil else {
                throw ScopeFileError(inner, "is another name of a type that is named before; write one of them")
            }
            found[type] = try scopeType(member, type, at: inner, shared, &uses)
        }
        guard !found.isEmpty else { throw ScopeFileError(place, "names no type; name those that are in the scope") }
        return found.values.sorted { $0.type < $1.type }
    }

    private func scopeType(
        _ member: RuleNode.Member, _ type: ByteString, at place: String, _ shared: SharedJoins,
        _ uses: inout ParameterComparisons
    ) throws(ScopeFileError) -> ScopeType {
        let object = try object(member.value, at: place, knows: ["as", "where", "joins", "fields", "without"])
        let projection = try projection(object)
        let source = ScopeRuleText.object([
            ("type", .string(member.name)), ("as", object.present("as")), ("where", object.present("where")),
        ])
        func rule(_ joins: RuleNode?) throws(ScopeFileError) -> ViewRule {
            let node = ScopeRuleText.object([("from", source), ("joins", joins)])
            do {
                return try ViewRule(json: node.canonical)
            } catch {
                throw ScopeFileError(
                    place + ScopeRuleText.withoutPrefix("/from", of: error.place), error.what, nearest: error.nearest)
            }
        }
        let joins = object.present("joins")
        // The rule as it is written is checked first, so that places are those of the file.
        let written = try rule(joins)
        try checkKinds(joins, at: object.place("joins"))
        try uses.note(source, joins, at: place, isRequired: false)
        return ScopeType(
            type: type, rule: try rule(joins.map { shared.rewritten($0) }), writtenRule: written,
            writtenType: ByteString(member.name), projection: projection)
    }

    private func checkKinds(_ joins: RuleNode?, at place: String) throws(ScopeFileError) {
        guard let joins else { return }
        for (index, join) in try elements(joins, at: place).enumerated() {
            let place = "\(place)/\(index)/kind"
            let kind = ScopeRuleText.member("kind", of: join)
            let name = ByteString(try kind.map { node throws(ScopeFileError) in try text(node, at: place) } ?? [])
            guard name == "exists" || name == "absent" else {
                throw ScopeFileError(
                    place, "is neither exists nor absent; an entity is in a scope once, whatever it is joined with",
                    nearest: NearestName.of(name, among: ["exists", "absent"]))
            }
        }
    }

    private func projection(_ object: RuleObject) throws(ScopeFileError) -> ScopeProjection {
        switch (object.present("fields"), object.present("without")) {
        case (nil, nil): return ScopeProjection(.all)
        case (let fields?, nil): return ScopeProjection(.fields(try names(fields, at: object.place("fields"))))
        case (nil, let without?):
            let place = object.place("without")
            let names = try names(without, at: place)
            for name in ["id", "uuid"] where names.contains(Array(name.utf8)) {
                throw ScopeFileError(place, "leaves out \"\(name)\", which is always sent; remove it here")
            }
            return ScopeProjection(.without(names))
        case (.some, .some):
            throw ScopeFileError(object.place("without"), "stands beside fields; write one of them")
        }
    }

    private func names(_ node: RuleNode, at place: String) throws(ScopeFileError) -> Set<[UInt8]> {
        var names: Set<[UInt8]> = []
        for (index, element) in try elements(node, at: place).enumerated() {
            let name = try text(element, at: "\(place)/\(index)")
            // A pointer in `without` would hide nothing, and nobody would notice.
            guard name.first != UInt8(ascii: "/") else {
                throw ScopeFileError("\(place)/\(index)", "is a pointer; write the name of a top-level member")
            }
            names.insert(name)
        }
        return names
    }
}

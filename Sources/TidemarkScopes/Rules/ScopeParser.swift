import TidemarkModel
import TidemarkViews

/// Parses a file of scopes and checks everything in it.
struct ScopeParser {
    let types: [ByteString: ByteString]
    let limits: ScopeLimits

    /// Parses the whole file.
    func file(_ node: RuleNode) throws(ScopeFileError) -> [ByteString: ScopeDefinition] {
        let file = try object(node, at: "", knows: ["scopes"])
        guard let scopes = file.present("scopes") else {
            throw ScopeFileError("/scopes", "is missing; write {\"scopes\": {\"name\": {…}}}")
        }
        var definitions: [ByteString: ScopeDefinition] = [:]
        for member in try members(scopes, at: "/scopes") {
            let place = "/scopes" + RulePlace.token(member.name)
            guard ScopeParser.isName(member.name) else {
                throw ScopeFileError(place, "is not a name of a scope; write 1 to 128 of A-Z a-z 0-9 _ . -")
            }
            let name = ByteString(member.name)
            definitions[name] = try scope(member.value, name, at: place)
        }
        guard definitions.count <= limits.scopeCountMax else {
            throw ScopeFileError("/scopes", "has more than \(limits.scopeCountMax) scopes; write fewer")
        }
        return definitions
    }

    private func scope(
        _ node: RuleNode, _ name: ByteString, at place: String
    ) throws(ScopeFileError) -> ScopeDefinition {
        let scope = try object(node, at: place, knows: ["library", "params", "require", "types"])
        var library: ByteString?
        if let node = scope.present("library") { library = ByteString(try text(node, at: scope.place("library"))) }
        var parameters =
            try scope.present("params").map { node throws(ScopeFileError) in
                try self.parameters(node, at: scope.place("params"))
            } ?? []
        var uses = ParameterComparisons(types: types)
        var requirements: [ViewRule] = []
        if let node = scope.present("require") {
            let place = scope.place("require")
            for (index, element) in try elements(node, at: place).enumerated() {
                requirements.append(try requirement(element, at: "\(place)/\(index)", &uses))
            }
        }
        let given = parameters.filter { if case .fixed = $0.source { false } else { true } }
        let shared = SharedJoins(parameters: Set(given.map(\.name.bytes)))
        let types = try scopeTypes(scope, shared, &uses)
        try ParameterCheck(uses: uses, types: types).check(&parameters, at: scope.place("params"))
        try checkFixed(parameters, at: scope.place("params"))
        return ScopeDefinition(
            name: name, library: library, parameters: parameters, requirements: requirements, types: types,
            canonical: node.canonical)
    }

    /// Refuses fixed values that the rules cannot use.
    private func checkFixed(_ parameters: [ScopeParameter], at place: String) throws(ScopeFileError) {
        for parameter in parameters {
            guard case .fixed(let value) = parameter.source, let fault = parameter.fault(of: value) else { continue }
            throw ScopeFileError(place + RulePlace.token(parameter.name.bytes) + "/value", fault)
        }
    }

    static func isName(_ name: [UInt8]) -> Bool {
        1...128 ~= name.count
            && name.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    // MARK: Values

    func object(_ node: RuleNode, at place: String, knows names: [String]) throws(ScopeFileError) -> RuleObject {
        do { return try RuleObject(node, at: place, knows: names) } catch { throw ScopeFileError(error) }
    }

    func members(_ node: RuleNode, at place: String) throws(ScopeFileError) -> [RuleNode.Member] {
        let members: [RuleNode.Member]
        do { members = try node.members(at: place) } catch { throw ScopeFileError(error) }
        guard members.count <= limits.partCountMax else {
            throw ScopeFileError(place, "has more than \(limits.partCountMax) members; write fewer")
        }
        return members
    }

    func elements(_ node: RuleNode, at place: String) throws(ScopeFileError) -> [RuleNode] {
        let elements: [RuleNode]
        do { elements = try node.elements(at: place) } catch { throw ScopeFileError(error) }
        guard elements.count <= limits.partCountMax else {
            throw ScopeFileError(place, "has more than \(limits.partCountMax) elements; write fewer")
        }
        return elements
    }

    func text(_ node: RuleNode, at place: String) throws(ScopeFileError) -> [UInt8] {
        do { return try node.text(at: place) } catch { throw ScopeFileError(error) }
    }
}

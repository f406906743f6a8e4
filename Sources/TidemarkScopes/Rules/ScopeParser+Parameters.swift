import TidemarkModel
import TidemarkViews

extension ScopeParser {
    /// Parses `params`.
    func parameters(_ node: RuleNode, at place: String) throws(ScopeFileError) -> [ScopeParameter] {
        var parameters: [ScopeParameter] = []
        for member in try members(node, at: place) {
            let inner = place + RulePlace.token(member.name)
            if ["after", "epoch"].contains(ByteString(member.name)) {
                throw ScopeFileError(inner, "is a name that the address of a scope uses itself; choose another one")
            }
            guard member.name.count <= 128 else { throw ScopeFileError(inner, "is longer than 128 bytes") }
            parameters.append(
                ScopeParameter(name: ByteString(member.name), source: try source(member.value, at: inner)))
        }
        return parameters.sorted { $0.name < $1.name }
    }

    private func source(_ node: RuleNode, at place: String) throws(ScopeFileError) -> ScopeParameter.Source {
        let kinds = ["claim", "query", "value"]
        _ = try object(node, at: place, knows: kinds)
        let members = try members(node, at: place)
        guard let member = members.first, members.count == 1 else {
            throw ScopeFileError(place, "has not just one source; write one of claim, query and value")
        }
        // A value of null is a value.
        let inner = place + RulePlace.token(member.name)
        switch ByteString(member.name) {
        case "claim": return try claim(member.value, at: inner)
        case "query":
            let kind = ByteString(try text(member.value, at: inner))
            switch kind {
            case "string": return .text
            case "integer": return .integer
            default:
                throw ScopeFileError(
                    inner, "is not a kind of value; write string or integer",
                    nearest: NearestName.of(kind, among: ["string", "integer"]))
            }
        default: return .fixed(member.value.canonical)
        }
    }

    private func claim(_ node: RuleNode, at place: String) throws(ScopeFileError) -> ScopeParameter.Source {
        guard case .array(let elements) = node else {
            let name = try text(node, at: place)
            guard !name.isEmpty else { throw ScopeFileError(place, "is empty; write the name of a claim") }
            return .claim(ByteString(name))
        }
        guard 1...16 ~= elements.count else { throw ScopeFileError(place, "has not 1 to 16 names") }
        var names: [ByteString] = []
        for (index, element) in elements.enumerated() {
            let name = try text(element, at: "\(place)/\(index)")
            guard !name.isEmpty else { throw ScopeFileError("\(place)/\(index)", "is empty; write a member's name") }
            names.append(ByteString(name))
        }
        return .claimPath(names)
    }
}

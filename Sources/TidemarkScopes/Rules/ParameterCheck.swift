import TidemarkModel
import TidemarkStore
import TidemarkViews

/// Checks how the rules of a scope use its parameters.
struct ParameterCheck {
    let uses: ParameterComparisons
    let types: [ScopeType]

    /// Checks every use, and notes what the rules need of each parameter's value.
    ///
    /// - Parameter place: The place of `params`.
    /// - Throws: ``ScopeFileError`` for a parameter that is unknown or unused, or whose use is an oracle.
    func check(_ parameters: inout [ScopeParameter], at place: String) throws(ScopeFileError) {
        let names = parameters.map(\.name.description)
        var used: Set<ByteString> = []
        for use in uses.all {
            let name = ByteString(use.parameter)
            guard let index = parameters.firstIndex(where: { $0.name == name }) else {
                throw ScopeFileError(
                    use.place, "compares with \"\(name)\", which is no parameter of the scope",
                    nearest: NearestName.of(name, among: names))
            }
            used.insert(name)
            if parameters[index].source.isFromAddress { try checkOracle(use) }
            switch use.operation {
            case "on": break
            case "in": parameters[index].needs.isArray = true
            case "prefix":
                parameters[index].needs.isString = true
                parameters[index].needs.isScalar = true
            default: parameters[index].needs.isScalar = true
            }
        }
        for parameter in parameters {
            let place = place + RulePlace.token(parameter.name.bytes)
            guard used.contains(parameter.name) else {
                throw ScopeFileError(place, "is not used by any rule; remove it, or the rule that misses it is wrong")
            }
            guard !parameter.needs.isArray || !parameter.needs.isScalar else {
                throw ScopeFileError(place, "is an array for one operator and a single value for another one")
            }
        }
    }

    /// Refuses a comparison by which the client could find out a value that it is not sent, trying one after the other.
    private func checkOracle(_ use: ParameterComparison) throws(ScopeFileError) {
        guard use.operation == "eq" || use.operation == "on" else {
            throw ScopeFileError(
                use.place,
                "compares a parameter from the address by \(use.operation), which narrows a value down step by"
                    + " step; write eq")
        }
        guard !use.isRequired, !isSent(use), !isRequiredToo(use) else { return }
        throw ScopeFileError(
            use.place,
            "compares a parameter from the address with \(shown(use)), which is not sent: whoever tries"
                + " values learns it; send the member, or compare it in require")
    }

    private func isSent(_ use: ParameterComparison) -> Bool {
        guard let type = types.first(where: { $0.type == use.type }) else { return false }
        if use.pointer == Array("@key".utf8) { return true }
        guard let name = ParameterCheck.topMember(use.pointer) else { return type.projection.sendsEverything }
        return type.projection.sends(name)
    }

    /// True if `require` compares the same value with the same parameter: the client only ever gets answers for values
    /// with which that holds.
    private func isRequiredToo(_ use: ParameterComparison) -> Bool {
        uses.all.contains { other in
            other.isRequired && other.type == use.type && other.pointer == use.pointer
                && other.parameter == use.parameter
        }
    }

    private func shown(_ use: ParameterComparison) -> String {
        "\(use.pointer.isEmpty ? "the whole" : String(decoding: use.pointer, as: UTF8.self)) of \(use.type)"
    }

    /// The unescaped name of the top-level member that a pointer leads into; nil for the whole resource.
    private static func topMember(_ pointer: [UInt8]) -> [UInt8]? {
        guard pointer.first == UInt8(ascii: "/") else { return nil }
        do {
            return try RulePointer(pointer).tokens.first?.name
        } catch {
            // The rule with this pointer was parsed before.
            return nil
        }
    }
}

import TidemarkModel
import TidemarkViews

/// Explains what one scope of a file shows to the holder of certain claims.
///
/// A ``ScopeSet`` decides whether an entity is shown, as for a client. The reason is found by evaluating the rules as
/// they are written, so that places are those of the file.
package struct ScopeExplainer {
    private let definition: ScopeDefinition
    private let file: ScopeFile
    private let types: [ByteString: ByteString]

    /// How many entities a step of an evaluation reads.
    private static let countPerStep = 100_000

    /// Creates an explainer.
    ///
    /// - Parameters:
    ///   - name: The name of the scope.
    ///   - types: The cache's own names of types, by their other names; those with which the file was read.
    /// - Returns: nil if the file has no such scope.
    package init?(_ name: ByteString, of file: ScopeFile, types: [ByteString: ByteString] = [:]) {
        guard let definition = file.scopes[name] else { return nil }
        self.definition = definition
        self.file = file
        self.types = types
    }

    /// The source library; nil for the default one.
    package var library: ByteString? { definition.library }

    /// The parameters that the address of a request has to give.
    package var addressNames: [ByteString] {
        definition.parameters.filter(\.source.isFromAddress).map(\.name)
    }

    /// The types whose entities can be in the scope, in the order of their names.
    package var typesShown: [ByteString] { definition.types.map(\.type) }

    /// The names of the types whose entities the rules read.
    package var typesRead: Set<ByteString> {
        Set((definition.requirements + definition.types.map(\.rule)).flatMap(\.types).map { types[$0] ?? $0 })
    }

    /// Explains an entity.
    ///
    /// - Parameters:
    ///   - claims: The claims of a token: one JSON object in which no member is repeated.
    ///   - address: The names and values in the query of the address.
    ///   - entities: The server's data, without pending edits, of ``typesRead``.
    /// - Complexity: As evaluating the scope anew.
    package func explain(
        _ key: ViewKey, claims: [UInt8], address: [(name: ByteString, value: ByteString)],
        _ entities: any ListableEntities
    ) -> ScopeExplanation {
        let parameters: ScopeParameters
        do throws(ScopeRequestError) {
            parameters = try ScopeParameters(definition, claims: claims, address: address)
        } catch {
            return refusal(error, claims)
        }
        do throws(ScopeRequestError) {
            if let obstacle = try requirement(parameters, entities) { return obstacle }
            let key = ViewKey(type: types[key.type] ?? key.type, id: key.id)
            guard let type = definition.types.first(where: { $0.type == key.type }) else {
                return .typeNotInScope(definition.types.map(\.type))
            }
            if let sent = try sent(key, parameters, entities) { return .shown(sent: sent) }
            return .hidden(try failure(key, type, parameters, entities))
        } catch {
            return refusal(error, claims)
        }
    }

    // MARK: The decision

    /// What a client is sent of the entity; nil if the scope does not show it.
    private func sent(
        _ key: ViewKey, _ parameters: ScopeParameters, _ entities: any ListableEntities
    ) throws(ScopeRequestError) -> [UInt8]? {
        // No client sees the names that are made with this secret.
        let secret = ScopeSecret { _ in [UInt8](repeating: 0, count: 32) }
        var set = ScopeSet(file, secret, types: types)
        let handle = try set.open(definition.name, parameters)
        let identity = [UInt8](repeating: 0, count: 16)
        while !set.fill(handle, entities, countMax: ScopeExplainer.countPerStep, identity: identity, now: 0) {}
        guard set.shows(handle, key), let resource = entities.state(of: key).resource else { return nil }
        return set.projected(resource, of: key.type, in: handle)
    }

    /// The first condition of `require` without a match; nil if all hold.
    private func requirement(
        _ parameters: ScopeParameters, _ entities: any ListableEntities
    ) throws(ScopeRequestError) -> ScopeExplanation? {
        for (index, rule) in definition.requirements.enumerated() {
            let (set, window) = try evaluated(rule, parameters, entities)
            guard let window, set.result(window)?.total == 0 else { continue }
            return .forbidden(at: place("/require/\(index)"), condition: condition(index))
        }
        return nil
    }

    // MARK: Reasons

    private func failure(
        _ key: ViewKey, _ type: ScopeType, _ parameters: ScopeParameters, _ entities: any ListableEntities
    ) throws(ScopeRequestError) -> ViewFailure {
        let start = place("/types") + RulePlace.token(type.writtenType.bytes)
        let (set, window) = try evaluated(type.writtenRule, parameters, entities)
        guard let window, case .failed(var failure)? = set.explain(key, window, entities) else {
            return ViewFailure(at: start, condition: nil, value: nil, entity: key)
        }
        failure.at = start + ScopeRuleText.withoutPrefix("/from", of: failure.at)
        return failure
    }

    /// Evaluates a rule alone, with a window of one row.
    private func evaluated(
        _ rule: ViewRule, _ parameters: ScopeParameters, _ entities: any ListableEntities
    ) throws(ScopeRequestError) -> (ViewSet, ViewWindowID?) {
        var set = ViewSet(types: types)
        guard let use = set.hold(rule, try parameters.binding(rule)) else { return (set, nil) }
        while !set.fill(use, entities, countMax: ScopeExplainer.countPerStep) {}
        let window = set.open(use, limit: 1, entities)
        return (set, window)
    }

    private func refusal(_ error: ScopeRequestError, _ claims: [UInt8]) -> ScopeExplanation {
        if case .badRequest(let what) = error { return .badRequest(what) }
        let claims = ClaimSet(claims)
        for parameter in definition.parameters {
            let place = place("/params") + RulePlace.token(parameter.name.bytes)
            switch parameter.source {
            case .text, .integer, .fixed: continue
            case .claim, .claimPath:
                guard let value = claims?.value(of: parameter.source) else {
                    return .unusableClaim(at: place, what: "is absent, null or an object")
                }
                if let fault = parameter.fault(of: value) { return .unusableClaim(at: place, what: fault) }
            }
        }
        return .unusableClaim(at: place("/params"), what: "have a value that a rule cannot use")
    }

    private func place(_ inside: String) -> String {
        "/scopes" + RulePlace.token(definition.name.bytes) + inside
    }

    /// A condition of `require` as the file has it.
    private func condition(_ index: Int) -> [UInt8] {
        do {
            let node = try RuleNode(text: definition.canonical, name: "the scope")
            guard case .array(let conditions)? = ScopeRuleText.member("require", of: node), index < conditions.count
            else { return [] }
            return conditions[index].canonical
        } catch {
            // The canonical spelling was written from a scope that was read.
            return []
        }
    }
}

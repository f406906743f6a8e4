import TidemarkModel
import TidemarkViews

/// The values that one request gives to the parameters of a scope. Requests with equal ones share the scope.
package struct ScopeParameters: Hashable, Sendable {
    /// The values by name: JSON without white space, in its canonical spelling.
    let values: [ByteString: [UInt8]]
    /// The values that claims and the address gave, as one object in the order of the names.
    package let canonical: [UInt8]

    /// Takes the values from a token and an address.
    ///
    /// - Parameters:
    ///   - definition: The scope.
    ///   - claims: The claims of a token that was checked: one JSON object in which no member is repeated.
    ///   - address: The names and values in the query of the address, decoded, without `after` and `epoch`.
    /// - Throws: ``ScopeRequestError`` `.badRequest` for a parameter in the address that is unknown, repeated, missing
    ///   or
    ///   malformed; `.forbidden` for a claim without a usable value.
    package init(
        _ definition: ScopeDefinition, claims: [UInt8], address: [(name: ByteString, value: ByteString)],
        limits: ScopeLimits = ScopeLimits()
    ) throws(ScopeRequestError) {
        var given: [ByteString: ByteString] = [:]
        for (name, value) in address {
            let isKnown = definition.parameters.contains { $0.name == name && $0.source.isFromAddress }
            guard isKnown else { throw .badRequest("the address has a parameter that this scope does not take") }
            guard given.updateValue(value, forKey: name) == nil else {
                throw .badRequest("the address repeats the parameter \"\(name)\"")
            }
        }
        var values: [ByteString: [UInt8]] = [:]
        for parameter in definition.parameters where parameter.source.isFromAddress {
            guard let text = given[parameter.name] else {
                throw .badRequest("the address lacks the parameter \"\(parameter.name)\"")
            }
            values[parameter.name] = try AddressValue.json(text, parameter, limits)
        }
        let claims = ClaimSet(claims)
        for parameter in definition.parameters where values[parameter.name] == nil {
            switch parameter.source {
            case .text, .integer: break
            case .fixed(let value): values[parameter.name] = value
            case .claim, .claimPath:
                guard let value = claims?.value(of: parameter.source), parameter.fault(of: value) == nil else {
                    throw .forbidden
                }
                values[parameter.name] = value
            }
        }
        let open = definition.parameters.filter { if case .fixed = $0.source { false } else { true } }
        canonical = ScopeParameters.object(open.map(\.name), values)
        self.values = values
    }

    /// Returns the use of a rule with these values.
    ///
    /// - Throws: ``ScopeRequestError`` `.forbidden` if the rule cannot use a value.
    func binding(_ rule: ViewRule) throws(ScopeRequestError) -> ViewBinding {
        do {
            return try ViewBinding(ScopeParameters.object(rule.parameters.sorted(), values), for: rule)
        } catch {
            throw .forbidden
        }
    }

    private static func object(_ names: [ByteString], _ values: [ByteString: [UInt8]]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for name in names {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += RuleNode.string(name.bytes).canonical
            text.append(UInt8(ascii: ":"))
            text += values[name] ?? Array("null".utf8)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }
}

extension ScopeParameter {
    /// Returns what makes a value unusable for the rules; nil if they can use it.
    ///
    /// - Parameter value: JSON without white space.
    func fault(of value: [UInt8]) -> String? {
        let isArray = value.first == UInt8(ascii: "[")
        if needs.isArray, !isArray { return "is no array, and in compares with it" }
        if needs.isScalar, isArray { return "is an array, which only in and on compare with" }
        if needs.isString, value.first != UInt8(ascii: "\"") { return "is no string, and prefix compares with it" }
        return nil
    }
}

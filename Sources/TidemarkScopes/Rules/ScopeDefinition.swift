import TidemarkModel
import TidemarkViews

/// One scope of a file: which entities are in it, and what is sent of them, for any values of its parameters.
package struct ScopeDefinition: Sendable {
    /// The name in the file.
    package let name: ByteString
    /// The source library; nil for the default one.
    package let library: ByteString?
    /// The parameters in the order of their names.
    package let parameters: [ScopeParameter]
    /// The conditions that must all have a match for the scope to exist.
    let requirements: [ViewRule]
    /// The types whose entities can be in the scope, in the order of their names.
    let types: [ScopeType]
    /// The definition in its canonical spelling. Two files with equal ones have the same scope.
    let canonical: [UInt8]

    /// A digest of the definition, by which a stored log tells that it belongs to this one.
    package var fingerprint: [UInt8] { SHA256Digest(of: name.bytes + [0] + canonical).bytes }
}

extension ScopeDefinition: Hashable {
    /// Compares the canonical spellings.
    package static func == (left: ScopeDefinition, right: ScopeDefinition) -> Bool {
        left.name == right.name && left.canonical == right.canonical
    }

    /// Hashes the canonical spelling.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(canonical)
    }
}

/// The entities of one type in a scope.
struct ScopeType: Sendable {
    /// The cache's own name of the type.
    let type: ByteString
    /// The rule whose first source is the type. Its rows are the entities in the scope.
    let rule: ViewRule
    /// The same rule with its joins as the file has them, for explanations.
    let writtenRule: ViewRule
    /// The name of the type in the file.
    let writtenType: ByteString
    /// The members that are sent.
    let projection: ScopeProjection
}

/// One parameter of a scope.
package struct ScopeParameter: Sendable {
    /// Where a parameter has its value from.
    package enum Source: Hashable, Sendable {
        /// A member of the token's claims: its exact name, or else a path with dots.
        case claim(ByteString)
        /// A value inside the token's claims, by the names of members from the outside in.
        case claimPath([ByteString])
        /// The address, as text.
        case text
        /// The address, as an integer.
        case integer
        /// The file: JSON without white space.
        case fixed([UInt8])

        /// True if the client chooses the value.
        var isFromAddress: Bool { self == .text || self == .integer }
    }

    /// The name in the file, in rules and in the address.
    package let name: ByteString
    /// Where the value is from.
    package let source: Source
    /// What the rules need of the value.
    var needs = ParameterNeeds()
}

/// What rules need of a parameter's value.
struct ParameterNeeds: Hashable, Sendable {
    /// True if an `in` compares with it: it has to be an array.
    var isArray = false
    /// True if another operator compares with it: it cannot be an array.
    var isScalar = false
    /// True if a `prefix` compares with it: it has to be a string.
    var isString = false
}

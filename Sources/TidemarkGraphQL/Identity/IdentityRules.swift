import TidemarkModel

/// Key fields of types and look-ups of fields, as a schema file or a policy file says them.
///
/// - Source: Protocol/graphql.md, identity.
package struct IdentityRules: Hashable, Sendable {
    /// The key field of a type that no rule speaks of.
    package static let defaultKeyFields: [ByteString] = ["id"]

    /// Rules as they are written, by the name of the type.
    var declared: [ByteString: TypeIdentity] = [:]
    /// Rules with those that interfaces hand down.
    var effective: [ByteString: TypeIdentity] = [:]
    /// By the name of the type, then of the field.
    var lookups: [ByteString: [ByteString: FieldLookup]] = [:]

    package init() {}

    /// Fields whose values make the key of an object, in their order; `id` alone where no rule says otherwise.
    package func keyFields(of type: ByteString) -> [ByteString] {
        effective[type]?.keyFields ?? IdentityRules.defaultKeyFields
    }

    /// Events of this type merge into the entity.
    package func mergesEvents(of type: ByteString) -> Bool { effective[type]?.mergesEvents ?? false }

    /// - Returns: nil when no rule speaks of the field.
    package func lookup(_ field: ByteString, of type: ByteString) -> FieldLookup? { lookups[type]?[field] }

    /// The rules of both; where both speak of one thing, those of `other` hold.
    func overruled(by other: IdentityRules) -> IdentityRules {
        var rules = self
        rules.declared.merge(other.declared) { $1.filled(from: $0) }
        rules.effective.merge(other.effective) { $1.filled(from: $0) }
        for (type, fields) in other.lookups { rules.lookups[type, default: [:]].merge(fields) { $1 } }
        return rules
    }

    /// Works out the rules that types get from their interfaces.
    ///
    /// A rule of the type itself comes first. An interface is overruled by another interface of the type that implements
    /// it.
    ///
    /// - Parameter interfaces: Of each type all its interfaces, those of its interfaces included.
    /// - Returns: Types whose interfaces disagree, in the order of their names.
    mutating func handDown(_ interfaces: [ByteString: [ByteString]]) -> [ByteString] {
        var conflicts: [ByteString] = []
        for (type, names) in interfaces {
            let own = declared[type] ?? TypeIdentity()
            let speakers = names.filter { declared[$0] != nil }
            let overruled = Set(speakers.flatMap { interfaces[$0] ?? [] }).subtracting([type])
            let rules = speakers.filter { !overruled.contains($0) }.compactMap { declared[$0] }
            var rule = own
            if own.keyFields == nil {
                let keys = Set(rules.compactMap(\.keyFields))
                if keys.count > 1 { conflicts.append(type) }
                rule.keyFields = rules.compactMap(\.keyFields).first
                // An interface without a rule of its own for keys hands on those of its interfaces.
                if rule.keyFields == nil { rule.keyFields = speakers.compactMap { declared[$0]?.keyFields }.first }
            }
            if own.mergesEvents == nil { rule.mergesEvents = speakers.compactMap { declared[$0]?.mergesEvents }.first }
            if rule != TypeIdentity() { effective[type] = rule }
        }
        return conflicts.sorted()
    }
}

extension GraphQLSchema {
    /// Works the rules of interfaces into their implementers, and refuses types whose interfaces disagree.
    mutating func handDownKeys() throws(GraphQLErrors) {
        var interfaces: [ByteString: [ByteString]] = [:]
        for type in types where type.kind == .object || type.kind == .interface {
            interfaces[type.name] = type.interfaces.map { self[$0].name }
        }
        var errors = GraphQLErrors()
        for name in identity.handDown(interfaces) {
            let words = DocumentParser.excerpt(name.description)
            errors.append(
                .interfaceConflict,
                "\(words) gets different key fields from its interfaces; give \(words) a @typePolicy of its own",
                at: SourcePlace(line: 1, column: 1))
        }
        if errors.count > 0 { throw errors }
    }
}

import TidemarkModel

/// The key fields of types and the look-ups of fields that a schema file or a policy file defines.
///
/// - Source: Protocol/graphql.md, identity.
package struct IdentityRules: Hashable, Sendable {
    /// The key field of types without a rule: `id`.
    package static let defaultKeyFields: [ByteString] = ["id"]

    /// The rules as written, by type.
    var declared: [ByteString: TypeIdentity] = [:]
    /// The rules including those inherited from interfaces, by type.
    var effective: [ByteString: TypeIdentity] = [:]
    /// The look-ups of fields, by type and field.
    var lookups: [ByteString: [ByteString: FieldLookup]] = [:]

    /// Creates an empty set of rules.
    package init() {}

    /// Returns the fields whose values make the key of an object, in their order; `id` without a rule.
    package func keyFields(of type: ByteString) -> [ByteString] {
        effective[type]?.keyFields ?? IdentityRules.defaultKeyFields
    }

    /// True if events merge into the entities of this type instead of replacing them.
    package func mergesEvents(of type: ByteString) -> Bool { effective[type]?.mergesEvents ?? false }

    /// The types whose events merge into entities instead of replacing them.
    package var mergedTypes: Set<ByteString> { Set(effective.filter { $0.value.mergesEvents == true }.keys) }

    /// Returns the rule of a field.
    ///
    /// - Returns: nil if the field has no rule.
    package func lookup(_ field: ByteString, of type: ByteString) -> FieldLookup? { lookups[type]?[field] }

    /// Returns the combination of both sets of rules, in which those of `other` override.
    func overruled(by other: IdentityRules) -> IdentityRules {
        var rules = self
        rules.declared.merge(other.declared) { $1.filled(from: $0) }
        rules.effective.merge(other.effective) { $1.filled(from: $0) }
        for (type, fields) in other.lookups { rules.lookups[type, default: [:]].merge(fields) { $1 } }
        return rules
    }

    /// Computes the rules that types inherit from their interfaces.
    ///
    /// A type's own rule takes precedence. An interface passes on its own rule, or else the rule that it inherits. It
    /// is overridden by another interface of the same type that implements it.
    ///
    /// - Parameter interfaces: The interfaces that each type names, by type.
    /// - Returns: The types whose interfaces disagree, sorted by name.
    /// - Complexity: O(the interfaces that types name, and for each of them those that it names).
    mutating func handDown(_ interfaces: [ByteString: [ByteString]]) -> [ByteString] {
        var conflicts: [ByteString] = []
        for type in IdentityRules.interfacesFirst(interfaces) {
            let names = (interfaces[type] ?? []).filter { $0 != type && effective[$0] != nil }
            let overruled = Set(names.flatMap { interfaces[$0] ?? [] })
            let rules = names.filter { !overruled.contains($0) }.compactMap { effective[$0] }
            var rule = declared[type] ?? TypeIdentity()
            if rule.keyFields == nil {
                if Set(rules.compactMap(\.keyFields)).count > 1 { conflicts.append(type) }
                rule.keyFields = rules.compactMap(\.keyFields).first
            }
            if rule.mergesEvents == nil { rule.mergesEvents = rules.compactMap(\.mergesEvents).first }
            if rule != TypeIdentity() { effective[type] = rule }
        }
        return conflicts.sorted()
    }

    /// Returns the types in an order in which interfaces precede the types that implement them. Types in a cycle are
    /// left out.
    private static func interfacesFirst(_ interfaces: [ByteString: [ByteString]]) -> [ByteString] {
        var implementers: [ByteString: [ByteString]] = [:]
        var waiting: [ByteString: Int] = [:]
        var order: [ByteString] = []
        for (type, names) in interfaces {
            let known = names.filter { interfaces[$0] != nil }
            for name in known { implementers[name, default: []].append(type) }
            waiting[type] = known.count
            if known.isEmpty { order.append(type) }
        }
        var next = 0
        while next < order.count {
            for type in implementers[order[next]] ?? [] {
                guard let count = waiting[type] else { continue }
                waiting[type] = count - 1
                if count == 1 { order.append(type) }
            }
            next += 1
        }
        return order
    }
}

extension GraphQLSchema {
    /// Passes the rules of interfaces to their implementers, and refuses types whose interfaces disagree.
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

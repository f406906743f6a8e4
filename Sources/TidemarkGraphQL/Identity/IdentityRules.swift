import TidemarkModel

/// Key fields of types and look-ups of fields, as a schema file or a policy file says them.
///
/// - Source: Protocol/graphql.md, identity.
package struct IdentityRules: Hashable, Sendable {
    /// The key field of a type that no rule concerns.
    package static let defaultKeyFields: [ByteString] = ["id"]

    /// Rules as they are written, by the name of the type.
    var declared: [ByteString: TypeIdentity] = [:]
    /// Rules with those that interfaces hand down.
    var effective: [ByteString: TypeIdentity] = [:]
    /// The look-ups of fields, by the name of the type, then of the field.
    var lookups: [ByteString: [ByteString: FieldLookup]] = [:]

    package init() {}

    /// Fields whose values make the key of an object, in their order; `id` alone where no rule says otherwise.
    package func keyFields(of type: ByteString) -> [ByteString] {
        effective[type]?.keyFields ?? IdentityRules.defaultKeyFields
    }

    /// Events of this type merge into the entity.
    package func mergesEvents(of type: ByteString) -> Bool { effective[type]?.mergesEvents ?? false }

    /// The types whose events merge into the entity.
    package var mergedTypes: Set<ByteString> { Set(effective.filter { $0.value.mergesEvents == true }.keys) }

    /// - Returns: nil when no rule concerns the field.
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
    /// A rule of the type itself comes first. An interface hands on its own rule, else the rule that it got. It is
    /// overruled by another interface of the type that implements it.
    ///
    /// - Parameter interfaces: The interfaces that each type names, by the name of the type.
    /// - Returns: Types whose interfaces disagree, in the order of their names.
    /// - Complexity: O(the interfaces that types name, and for each those that it names).
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

    /// Types in an order in which interfaces stand before those that implement them. Types of a circle are left out.
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

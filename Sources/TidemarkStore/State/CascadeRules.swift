import TidemarkModel

/// Which fields of a type refer to entities that are deleted with it; what a policy says, under the cache's own names.
struct CascadeRules {
    private struct Rule {
        /// A name of GraphQL: it needs no escapes.
        var field: [UInt8]
        var target: ByteString
    }

    /// By type; only types that have such fields.
    private var rules: [ByteString: [Rule]] = [:]

    /// - Parameter aliases: Names of types on the wire, and the cache's own.
    init(_ policy: CachePolicy, aliases: [ByteString: ByteString]) {
        for type in policy.types {
            for field in type.fields where field.cascades {
                let target = aliases[field.target.typeName] ?? field.target.typeName
                rules[aliases[type.name] ?? type.name, default: []]
                    .append(Rule(field: field.name.bytes, target: target))
            }
        }
    }

    /// Whether nothing is ever deleted along.
    var isEmpty: Bool { rules.isEmpty }

    /// Whether entities of a type take others along.
    func concern(_ type: ByteString) -> Bool { rules[type] != nil }

    /// What a resource refers to, in the order of the policy's fields.
    ///
    /// - Parameter resource: An object, validated, without insignificant white space.
    /// - Parameter body: Gets the type and the id of each, doubles included.
    /// - Complexity: O(resource).
    func forEachReference(
        of type: ByteString, in resource: UnsafeRawBufferPointer, _ body: (ByteString, StoredID) -> Void
    ) {
        guard let rules = rules[type] else { return }
        let object = JSONObject(resource, range: 0..<resource.count)
        for rule in rules {
            guard let position = rule.field.withUnsafeBytes({ object.position(named: $0) }) else { continue }
            let value = JSONSlice(compact: Array(resource[object.members[position].value])[...])
            CascadeRules.forEachID(in: value) { body(rule.target, $0) }
        }
    }

    /// An id, an object with one, or lists of these: however deep the wire lets lists be nested.
    private static func forEachID(in value: JSONSlice, _ body: (StoredID) -> Void) {
        switch value.kind {
        case .string, .number:
            if let id = id(value) { body(id) }
        case .array:
            for element in value.elements ?? [] { forEachID(in: element, body) }
        case .object:
            let members = value.members ?? [:]
            let own = members[Array("id".utf8)].flatMap { $0.kind == .null ? nil : $0 }
            if let id = (own ?? members[Array("uuid".utf8)]).flatMap({ id($0) }) { body(id) }
        case .bool, .null:
            break
        }
    }

    /// nil for what is no id by the rules of identity: a fraction, an empty string.
    private static func id(_ value: JSONSlice) -> StoredID? {
        let bytes: [UInt8]
        switch value.kind {
        case .string: bytes = value.bytes.dropFirst().dropLast().withUnsafeBytes { JSONText.unescaped($0) }
        case .number where value.bytes.allSatisfy({ $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }):
            bytes = Array(value.bytes)
        default: return nil
        }
        return bytes.isEmpty ? nil : StoredID(ByteString(bytes))
    }
}

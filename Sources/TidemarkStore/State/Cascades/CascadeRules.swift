import TidemarkJSON
import TidemarkModel

/// The cascading fields of each type, as a policy defines them, under the cache's own names: the entities to which they
/// refer are deleted with theirs.
struct CascadeRules {
    private struct Rule {
        /// The field's GraphQL name, which needs no escapes.
        var field: [UInt8]
        var target: ByteString
    }

    /// The rules by type; only types with cascading fields.
    private var rules: [ByteString: [Rule]] = [:]

    /// Creates the rules of a policy.
    ///
    /// - Parameter aliases: The cache's own names of types, by their names on the wire.
    init(_ policy: CachePolicy, aliases: [ByteString: ByteString]) {
        for type in policy.types {
            for field in type.fields where field.cascades {
                let target = aliases[field.target.typeName] ?? field.target.typeName
                rules[aliases[type.name] ?? type.name, default: []]
                    .append(Rule(field: field.name.bytes, target: target))
            }
        }
    }

    /// True if no delete ever cascades.
    var isEmpty: Bool { rules.isEmpty }

    /// Returns true if deletes of a type's entities cascade.
    func concern(_ type: ByteString) -> Bool { rules[type] != nil }

    /// Calls `body` for each reference of a resource, in the order of the policy's fields.
    ///
    /// - Parameters:
    ///   - type: The cache's own name of the resource's type.
    ///   - resource: A validated object without insignificant white space.
    ///   - body: Receives the type and the id of each reference, duplicates included.
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

    /// Calls `body` for an id, for the id of an object, or for those in nested lists. `Limits` bounds the nesting.
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

    /// Returns an id; nil for a value that cannot be one, such as a fraction or an empty string.
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

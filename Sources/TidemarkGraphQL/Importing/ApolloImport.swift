import TidemarkGraphQLLanguage
import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Converts the records of a cache of Apollo iOS into entities.
///
/// A record whose object has a type and a key becomes an entity; every other record is embedded where it is referred
/// to. The fields of the record `QUERY_ROOT` become root fields. What cannot be converted with certainty is left out
/// and counted: a read fetches it again.
///
/// - Source: docs/moving.md, Apollo iOS; Protocol/graphql.md, what is stored.
package struct ApolloImport {
    /// What was left out.
    package struct Skipped: Hashable, Sendable {
        /// Records whose text is not a JSON object.
        package var records = 0
        /// Fields whose arguments cannot be read, or whose values refer to what the file does not have.
        package var fields = 0
    }

    private typealias Object = [JSONMember]

    private let rules: GraphQLRules
    private let library: ByteString
    private var records: [ByteString: Object] = [:]
    /// The keys of the records that become entities.
    private var keys: [ByteString: GraphQLKey] = [:]
    /// What was left out so far.
    package private(set) var skipped = Skipped()

    /// How deeply records without keys may be nested in one another.
    private static let depthMax = 64
    private static let queryRoot: ByteString = "QUERY_ROOT"
    private static let roots: Set<ByteString> = ["QUERY_ROOT", "MUTATION_ROOT", "SUBSCRIPTION_ROOT"]

    /// Creates an import.
    ///
    /// - Parameters:
    ///   - rules: The schema, if it is known, and the key fields.
    ///   - library: The library of the entities.
    package init(rules: GraphQLRules, library: ByteString) {
        self.rules = rules
        self.library = library
    }

    /// Adds a record. Add all records before ``response()``.
    ///
    /// - Parameter fields: The text of the record: a JSON object.
    package mutating func add(_ key: ByteString, fields: [UInt8]) {
        guard case .object(let object)? = ApolloImport.parsed(fields) else {
            skipped.records += 1
            return
        }
        records[key] = object
        if !Self.roots.contains(key) { keys[key] = self.key(of: object, named: key) }
    }

    /// Returns the entities and root fields of all records, in the order of their keys.
    ///
    /// - Complexity: O(all records), and for each record without a key the places that refer to it.
    package mutating func response() -> FieldResponse {
        var entities: [FieldResponse.Entity] = []
        // Of two records with one key, the first by name counts.
        var seen: Set<GraphQLKey> = []
        for (name, key) in keys.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            guard let object = records[name], seen.insert(key).inserted else { continue }
            var types: Set<ByteString> = []
            let converted = fields(of: object, typename: Self.typename(object), depth: 0, &types)
            entities.append(FieldResponse.Entity(key: key.entityKey(in: library), resource: converted.resourceBytes))
        }
        var response = FieldResponse(library: library, entities: entities, roots: [])
        addRoots(to: &response)
        return response
    }

    // MARK: Keys

    /// Returns the key of an object with a type and usable key fields; without the key fields, the key that its record
    /// has if that begins with its type.
    private func key(of object: Object, named name: ByteString) -> GraphQLKey? {
        guard let typename = Self.typename(object) else { return nil }
        let type = rules.resourceType(of: typename)
        let names = rules.identity.keyFields(of: typename)
        var id: [UInt8] = []
        for (index, field) in names.enumerated() {
            guard let part = Self.keyText(object.last { $0.name == field.description }?.value) else {
                return recordKey(name, typename).map { GraphQLKey(type: type, id: $0) }
            }
            if index > 0 { id.append(UInt8(ascii: "+")) }
            KeyText.append(part, isJoined: names.count > 1, to: &id)
        }
        return id.count <= RootID.byteCountMax ? GraphQLKey(type: type, id: ByteString(id)) : nil
    }

    private func recordKey(_ name: ByteString, _ typename: ByteString) -> ByteString? {
        let prefix = typename.bytes + [UInt8(ascii: ":")]
        guard name.bytes.starts(with: prefix), 1...RootID.byteCountMax ~= name.bytes.count - prefix.count else {
            return nil
        }
        return ByteString(name.bytes.dropFirst(prefix.count))
    }

    private static func keyText(_ value: JSONValue?) -> [UInt8]? {
        switch value {
        case .string(let text)? where !text.isEmpty: Array(text.utf8)
        case .number(let number)? where number.text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2D }):
            Array(number.text.utf8)
        default: nil
        }
    }

    private static func typename(_ object: Object) -> ByteString? {
        object.last { $0.name == "__typename" }?.value.string.map { ByteString($0) }
    }

    private static func parsed(_ text: [UInt8]) -> JSONValue? {
        do {
            return try JSONValue(parsing: text, nestingDepthMax: depthMax)
        } catch {
            return nil
        }
    }

    // MARK: Values

    private mutating func addRoots(to response: inout FieldResponse) {
        let typename = rules.rootTypename(of: .query)
        for member in records[Self.queryRoot] ?? [] where member.name != "__typename" {
            guard let name = ApolloFieldName(ByteString(member.name), of: typename, in: rules.schema) else {
                skipped.fields += 1
                continue
            }
            var types: Set<ByteString> = []
            guard let value = value(member.value, depth: 0, &types) else {
                skipped.fields += 1
                continue
            }
            let id = RootID.of(name.storageName, field: name.field)
            let object = [JSONMember("id", .string(id.description)), JSONMember("value", value)]
            response.entities.append(
                FieldResponse.Entity(
                    key: GraphQLKey(root: id).entityKey(in: library), resource: object.resourceBytes))
            response.roots.append(
                FieldResponse.Root(name: RootName(storageName: name.storageName), types: types.sorted()))
        }
    }

    private mutating func fields(
        of object: Object, typename: ByteString?, depth: Int, _ types: inout Set<ByteString>
    ) -> Object {
        var result: Object = []
        for member in object where member.name != "__typename" {
            guard let name = ApolloFieldName(ByteString(member.name), of: typename, in: rules.schema),
                let value = value(member.value, depth: depth, &types)
            else {
                skipped.fields += 1
                continue
            }
            result.append(JSONMember(name.storageName.description, value))
        }
        return result
    }

    /// Converts a value; nil if it refers to a record that the file does not have.
    private mutating func value(_ value: JSONValue, depth: Int, _ types: inout Set<ByteString>) -> JSONValue? {
        switch value {
        case .array(let elements):
            var converted: [JSONValue] = []
            for element in elements {
                guard let element = self.value(element, depth: depth, &types) else { return nil }
                converted.append(element)
            }
            return .array(converted)
        case .object(let members):
            guard members.count == 1, members[0].name == "$reference", let name = members[0].value.string else {
                return value
            }
            return reference(ByteString(name), depth: depth, &types)
        default: return value
        }
    }

    private mutating func reference(_ name: ByteString, depth: Int, _ types: inout Set<ByteString>) -> JSONValue? {
        if let key = keys[name] {
            types.insert(key.type)
            return [GraphQLKey.referenceName.description: .string(key.text.description)]
        }
        guard depth < Self.depthMax, let object = records[name] else { return nil }
        let typename = Self.typename(object)
        let fields = fields(of: object, typename: typename, depth: depth + 1, &types)
        return .object((typename.map { [JSONMember("__typename", .string($0.description))] } ?? []) + fields)
    }
}

extension [JSONMember] {
    /// The members as a compact JSON object.
    fileprivate var resourceBytes: [UInt8] { JSONValue.object(self).bytes }
}

import TidemarkModel

/// Decides which selections are added to which set, and under which names.
///
/// An added field must be mergeable with every field that can meet it in a response. So the names of all sets that can
/// meet are kept together: a name is taken if it denotes another field there, or a field of another type.
struct AdditionPlanner {
    /// The field that a response name denotes, among sets that can meet.
    private struct Meaning: Hashable {
        var field: ByteString
        var hasArguments: Bool
        /// The type of the field; nil without a schema.
        var type: SchemaTypeReference?
    }

    private let sets: SelectionSets
    private let schema: GraphQLSchema?
    private let limits: ExecutableLimits
    private let classes: [Int]
    private let rootLevel: Set<Int>
    /// The meanings of each response name, by class.
    private var meanings: [Int: [ByteString: Set<Meaning>]] = [:]
    private var additions: [[Selection]]
    private var additionCount = 0

    init(_ outline: DocumentOutline, _ schema: GraphQLSchema?, _ limits: ExecutableLimits) {
        self.schema = schema
        self.limits = limits
        sets = SelectionSets(outline, schema)
        rootLevel = sets.rootLevel()
        additions = Array(repeating: [], count: sets.all.count)
        var named: [(set: Int, field: SelectionSets.Selected)] = []
        for (set, entry) in sets.all.enumerated() {
            for case .field(let field, _) in entry.members
            where schema != nil || AdditionPlanner.isInTheWay(field.responseName) {
                named.append((set, field))
            }
        }
        // If no field conflicts, every addition keeps its own name, whichever sets meet.
        classes = named.isEmpty ? sets.all.map { _ in 0 } : sets.classes(from: outline.rootDefinitions())
        for (set, field) in named {
            meanings[classes[set], default: [:]][field.responseName, default: []].insert(
                Meaning(field: field.name, hasArguments: field.hasArguments, type: field.type))
        }
    }

    /// True if a field may conflict with an addition when no schema names key fields. Only `__typename` and its aliases
    /// are added then.
    private static func isInTheWay(_ responseName: ByteString) -> Bool {
        responseName == IntrospectionSchema.typename.name || responseName.bytes.starts(with: aliasPrefix)
    }

    /// The prefix of the alias of an addition whose name is taken.
    private static let aliasPrefix = Array("tidemark_".utf8)

    /// Plans the additions.
    ///
    /// - Returns: The selections to add to each set.
    mutating func plan() throws(DocumentError) -> [[Selection]] {
        for set in sets.all.indices where !rootLevel.contains(set) {
            let typename = IntrospectionSchema.typename.name
            let definition = sets.all[set].type.flatMap { schema?.field(typename, of: $0) }
            try add(typename, definition?.type, to: set)
            if sets.all[set].owner == .field { try addKeys(to: set) }
        }
        return additions
    }

    private mutating func addKeys(to set: Int) throws(DocumentError) {
        guard let schema, let type = sets.all[set].type else { return }
        if schema[type].kind == .object {
            for field in schema.keyFields(of: type) { try add(field.name, field.type, to: set) }
            return
        }
        if let fields = schema.sharedKeyFields(of: type) { return try addFragment(on: type, fields, to: set) }
        for possible in schema[type].possibleTypes {
            try addFragment(on: possible, schema.keyFields(of: possible), to: set)
        }
    }

    private mutating func addFragment(
        on type: SchemaTypeID, _ fields: [SchemaField], to set: Int
    ) throws(DocumentError) {
        guard let schema, !fields.isEmpty else { return }
        var selections: [Selection] = []
        for field in fields {
            try count()
            selections.append(.field(added(field.name, field.type, to: set)))
        }
        additions[set].append(
            .inline(
                InlineFragment(
                    typeCondition: Name(schema[type].name, at: .none), directives: [], selections: selections,
                    isAdded: true, at: .none)))
    }

    /// Adds a field to a set, unless the set already selects it without alias, arguments and directives.
    private mutating func add(
        _ name: ByteString, _ type: SchemaTypeReference?, to set: Int
    ) throws(DocumentError) {
        for case .field(let field, _) in sets.all[set].members
        where field.name == name && field.responseName == name && !field.hasArguments && !field.hasDirectives { return }
        try count()
        additions[set].append(.field(added(name, type, to: set)))
    }

    private mutating func count() throws(DocumentError) {
        additionCount += 1
        guard additionCount <= limits.additionCountMax else {
            throw DocumentError(
                .limitExceeded,
                "More than \(limits.additionCountMax) key fields would have to be added to the document; select fewer "
                    + "interfaces and unions, or give them a key field of their own.")
        }
    }

    /// Creates a field under its own name, or under the first free alias.
    private mutating func added(_ name: ByteString, _ type: SchemaTypeReference?, to set: Int) -> Field {
        let meaning = Meaning(field: name, hasArguments: false, type: type)
        let plain = name.bytes.drop { $0 == UInt8(ascii: "_") }
        var responseName = name
        var number = 1
        while true {
            guard let others = meanings[classes[set]]?[responseName] else {
                meanings[classes[set], default: [:]][responseName] = [meaning]
                break
            }
            if others.count == 1, others.contains(meaning) { break }
            responseName = ByteString(
                AdditionPlanner.aliasPrefix + plain + (number == 1 ? [] : Array("_\(number)".utf8)))
            number += 1
        }
        return Field(
            alias: responseName == name ? nil : Name(responseName, at: .none), name: Name(name, at: .none),
            arguments: [],
            directives: [], selections: [], isAdded: true)
    }
}

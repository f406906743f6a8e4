import TidemarkModel

/// The selections of a document as numbers. Each field appears once, however often its fragment is spread.
struct MergingTree {
    struct FieldNode {
        var responseName: ByteString
        var name: ByteString
        /// A number that is equal for fields of one name with the same arguments.
        var signature: Int
        var place: SourcePlace
        /// The selections, as an index into `sets`; nil for a leaf.
        var set: Int?
    }

    enum Member {
        case field(Int)
        /// An inline fragment. The outer nil means that it has no type condition, the inner one that its type is
        /// unknown.
        case inline(SchemaTypeID??, Int)
        case spread(SchemaTypeID?, Int)
    }

    /// A selection set with the type that it is selected on.
    struct TypedSet {
        var parent: SchemaTypeID?
        var set: Int
    }

    /// A field with the type that it is selected on.
    struct TypedField {
        var field: Int
        var parent: SchemaTypeID?
        /// The field in the schema; nil if unknown.
        var definition: SchemaField?
    }

    let schema: GraphQLSchema
    private(set) var fields: [FieldNode] = []
    private var sets: [[Member]] = []
    /// The selection sets of operations, and of fragments that are never spread.
    private(set) var roots: [TypedSet] = []
    private var signatures: [[UInt8]: Int] = [:]

    init(_ outline: DocumentOutline, _ schema: GraphQLSchema) {
        self.schema = schema
        // A definition's own set has the number of the definition.
        sets = Array(repeating: [], count: outline.definitions.count)
        for (index, definition) in outline.definitions.enumerated() {
            sets[index] = members(definition.selections, outline)
        }
        for index in outline.rootDefinitions() {
            switch outline.definitions[index] {
            case .operation(let operation):
                roots.append(TypedSet(parent: schema.roots[operation.kind], set: index))
            case .fragment(let fragment):
                roots.append(TypedSet(parent: schema.id(fragment.typeCondition.text), set: index))
            }
        }
        signatures = [:]
    }

    private mutating func members(_ selections: [Selection], _ outline: DocumentOutline) -> [Member] {
        selections.compactMap { selection in
            switch selection {
            case .field(let field):
                let set = field.selections.isEmpty ? nil : add(members(field.selections, outline))
                fields.append(
                    FieldNode(
                        responseName: field.responseName, name: field.name.text, signature: signature(of: field),
                        place: field.place, set: set))
                return .field(fields.count - 1)
            case .inline(let fragment):
                let set = add(members(fragment.selections, outline))
                return .inline(fragment.typeCondition.map { schema.id($0.text) }, set)
            case .spread(let spread):
                return outline.fragmentIndices[spread.name.text].map {
                    .spread(schema.id(outline.fragment($0).typeCondition.text), $0)
                }
            }
        }
    }

    private mutating func add(_ members: [Member]) -> Int {
        sets.append(members)
        return sets.count - 1
    }

    private mutating func signature(of field: Field) -> Int {
        var printer = DocumentPrinter(.minified)
        printer.write(signatureOf: field)
        if let known = signatures[printer.bytes] { return known }
        signatures[printer.bytes] = signatures.count
        return signatures.count - 1
    }

    /// Returns the set of a field's selections; nil for a leaf.
    func set(of field: TypedField) -> TypedSet? {
        fields[field.field].set.map { TypedSet(parent: field.definition?.type.named, set: $0) }
    }

    /// Calls `body` for every field of the sets and of the fragments in them, in their original order.
    func forEachField(in sets: [TypedSet], _ body: (TypedField) -> Void) {
        for set in sets { forEachField(in: set, body) }
    }

    private func forEachField(in set: TypedSet, _ body: (TypedField) -> Void) {
        for member in sets[set.set] {
            switch member {
            case .field(let index):
                let definition = set.parent.flatMap { schema.field(fields[index].name, of: $0) }
                body(TypedField(field: index, parent: set.parent, definition: definition))
            case .inline(let condition, let inner):
                forEachField(in: TypedSet(parent: condition ?? set.parent, set: inner), body)
            case .spread(let type, let inner): forEachField(in: TypedSet(parent: type, set: inner), body)
            }
        }
    }
}

extension DocumentPrinter {
    /// Writes the name of a field and its arguments, sorted by name, as one text.
    fileprivate mutating func write(signatureOf field: Field) {
        word(field.name.text)
        list(field.arguments.sorted { $0.name.text < $1.name.text }, "(", ")") {
            $0.write(NamedValue(name: $1.name, value: $1.value.withSortedFields))
        }
    }
}

extension Value {
    /// The value with the fields of its objects sorted by name.
    fileprivate var withSortedFields: Value {
        switch kind {
        case .list(let elements): Value(.list(elements.map(\.withSortedFields)), at: place)
        case .object(let fields):
            Value(
                .object(
                    fields.sorted { $0.name.text < $1.name.text }.map {
                        NamedValue(name: $0.name, value: $0.value.withSortedFields)
                    }), at: place)
        case .variable, .int, .float, .string, .boolean, .null, .enumeration: self
        }
    }
}

import TidemarkModel

/// The selection sets of a document, numbered in the order in which a walk through the document opens them.
struct SelectionSets {
    /// The part of a document that a selection set belongs to.
    enum Owner: Hashable {
        case operation
        case fragment
        case field
        case inline
    }

    /// A field with everything that decides whether it can be merged with others.
    struct Selected {
        let name: ByteString
        let responseName: ByteString
        let hasArguments: Bool
        let hasDirectives: Bool
        /// The declared type; nil if unknown.
        let type: SchemaTypeReference?
    }

    enum Member {
        /// A field, with the number of its own set if it has one.
        case field(Selected, Int?)
        case inline(Int)
        case spread(ByteString)
    }

    struct Entry {
        var owner: Owner
        /// The type that the set is selected on; nil if unknown.
        var type: SchemaTypeID?
        var members: [Member] = []
    }

    private(set) var all: [Entry] = []
    /// The set of each definition.
    private(set) var definitions: [Int] = []
    /// The sets of fragments by name; of several with one name the first.
    private(set) var fragments: [ByteString: Int] = [:]
    private let schema: GraphQLSchema?

    init(_ outline: DocumentOutline, _ schema: GraphQLSchema?) {
        self.schema = schema
        for definition in outline.definitions {
            definitions.append(all.count)
            switch definition {
            case .operation(let operation):
                add(operation.selections, .operation, schema?.roots[operation.kind])
            case .fragment(let fragment):
                if fragments[fragment.name.text] == nil { fragments[fragment.name.text] = all.count }
                add(fragment.selections, .fragment, schema?.id(fragment.typeCondition.text))
            }
        }
    }

    private mutating func add(_ selections: [Selection], _ owner: Owner, _ type: SchemaTypeID?) {
        let index = all.count
        all.append(Entry(owner: owner, type: type))
        var members: [Member] = []
        members.reserveCapacity(selections.count)
        for selection in selections {
            switch selection {
            case .field(let field):
                let definition = type.flatMap { schema?.field(field.name.text, of: $0) }
                var set: Int?
                if !field.selections.isEmpty {
                    set = all.count
                    add(field.selections, .field, definition?.type.named)
                }
                let selected = Selected(
                    name: field.name.text, responseName: field.responseName, hasArguments: !field.arguments.isEmpty,
                    hasDirectives: !field.directives.isEmpty, type: definition?.type)
                members.append(.field(selected, set))
            case .inline(let fragment):
                members.append(.inline(all.count))
                add(fragment.selections, .inline, fragment.typeCondition.map { schema?.id($0.text) } ?? type)
            case .spread(let spread): members.append(.spread(spread.name.text))
            }
        }
        all[index].members = members
    }
}

import TidemarkGraphQLLanguage

/// The enums and input types that a model's operations and fragments use, directly or through other input types.
struct UsedTypes {
    private(set) var enumerations: [SchemaTypeID] = []
    private(set) var inputs: [SchemaTypeID] = []
    private var seen: Set<SchemaTypeID> = []
    private let schema: GraphQLSchema

    /// Collects the types of a model.
    ///
    /// - Complexity: O(model).
    init(_ model: TypedModel) {
        schema = model.schema
        for operation in model.operations {
            for variable in operation.variables { add(variable.type.named) }
            add(operation.data)
        }
        for fragment in model.fragments { add(fragment.selection) }
        enumerations.sort { schema[$0].name < schema[$1].name }
        inputs.sort { schema[$0].name < schema[$1].name }
    }

    private mutating func add(_ selection: SelectionModel) {
        for field in selection.fields { add(field.type.named) }
        for nested in selection.nested { add(nested) }
    }

    private mutating func add(_ first: SchemaTypeID) {
        var waiting = [first]
        while let id = waiting.popLast() {
            guard seen.insert(id).inserted else { continue }
            switch schema[id].kind {
            case .enumeration: enumerations.append(id)
            case .input:
                inputs.append(id)
                waiting += schema[id].inputs.all.map(\.type.named)
            case .scalar, .object, .interface, .union: break
            }
        }
    }
}

import TidemarkGraphQLLanguage
import TidemarkModel

/// Adds `__typename` at the front of every selection set on objects, so that generated code can distinguish types.
///
/// The objects of operations get none, because a subscription selects only one field. Nor do fragments on their types.
struct TypenameWriter {
    let schema: GraphQLSchema

    func write(_ document: ExecutableDocument) -> ExecutableDocument {
        ExecutableDocument(
            definitions: document.definitions.map { definition in
                switch definition {
                case .operation(var operation):
                    operation.selections = inside(operation.selections)
                    return .operation(operation)
                case .fragment(var fragment):
                    fragment.selections =
                        isRoot(fragment.typeCondition.text) ? inside(fragment.selections) : set(fragment.selections)
                    return .fragment(fragment)
                }
            })
    }

    private func isRoot(_ name: ByteString) -> Bool {
        guard let id = schema.id(name) else { return false }
        return schema.roots.values.contains(id)
    }

    private func set(_ selections: [Selection]) -> [Selection] {
        let hasTypename = selections.contains { selection in
            guard case .field(let field) = selection else { return false }
            return field.responseName == TypenameWriter.name && field.directives.isEmpty
        }
        let rest = inside(selections)
        guard !hasTypename else { return rest }
        return [TypenameWriter.field] + rest
    }

    private func inside(_ selections: [Selection]) -> [Selection] {
        selections.map { selection in
            switch selection {
            case .field(var field):
                if !field.selections.isEmpty { field.selections = set(field.selections) }
                return .field(field)
            case .spread: return selection
            case .inline(var fragment):
                fragment.selections = inside(fragment.selections)
                return .inline(fragment)
            }
        }
    }

    static let name: ByteString = "__typename"

    /// The selection `__typename`.
    static var field: Selection {
        .field(Field(alias: nil, name: Name(name, at: .none), arguments: [], directives: [], selections: []))
    }
}

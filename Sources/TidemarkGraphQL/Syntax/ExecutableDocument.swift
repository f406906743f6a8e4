import TidemarkModel

/// A parsed document of operations and fragments, in the order written, with places.
///
/// Names are not looked up: ``DocumentValidator`` says whether the document makes sense.
///
/// - Source: GraphQL, October 2021, section 2.2.
package struct ExecutableDocument: Hashable, Sendable {
    /// The definitions; at least one. Bound: ``DocumentLimits/definitionCountMax``.
    package var definitions: [Definition]

    package init(definitions: [Definition]) {
        self.definitions = definitions
    }

    /// The operations, in the order written.
    package var operations: [OperationDefinition] {
        definitions.compactMap { definition in
            guard case .operation(let operation) = definition else { return nil }
            return operation
        }
    }

    /// The fragments, in the order written.
    package var fragments: [FragmentDefinition] {
        definitions.compactMap { definition in
            guard case .fragment(let fragment) = definition else { return nil }
            return fragment
        }
    }
}

extension ExecutableDocument {
    /// A definition of an executable document.
    package enum Definition: Hashable, Sendable {
        case operation(OperationDefinition)
        case fragment(FragmentDefinition)

        package var directives: [Directive] {
            switch self {
            case .operation(let operation): operation.directives
            case .fragment(let fragment): fragment.directives
            }
        }

        package var selections: [Selection] {
            switch self {
            case .operation(let operation): operation.selections
            case .fragment(let fragment): fragment.selections
            }
        }
    }
}

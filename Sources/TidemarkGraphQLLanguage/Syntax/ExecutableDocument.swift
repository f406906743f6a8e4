import TidemarkModel

/// A parsed document of operations and fragments in their original order, with their places.
///
/// Names are not looked up; ``DocumentValidator`` checks the document.
///
/// - Source: GraphQL, October 2021, section 2.2.
package struct ExecutableDocument: Hashable, Sendable {
    /// The definitions; at least one. Bounded by ``DocumentLimits/definitionCountMax``.
    package var definitions: [Definition]

    package init(definitions: [Definition]) {
        self.definitions = definitions
    }

    /// The operations in their original order.
    package var operations: [OperationDefinition] {
        definitions.compactMap { definition in
            guard case .operation(let operation) = definition else { return nil }
            return operation
        }
    }

    /// The fragments in their original order.
    package var fragments: [FragmentDefinition] {
        definitions.compactMap { definition in
            guard case .fragment(let fragment) = definition else { return nil }
            return fragment
        }
    }
}

extension ExecutableDocument {
    /// A definition of an executable document: an operation or a fragment.
    package enum Definition: Hashable, Sendable {
        case operation(OperationDefinition)
        case fragment(FragmentDefinition)

        /// The directives of the definition.
        package var directives: [Directive] {
            switch self {
            case .operation(let operation): operation.directives
            case .fragment(let fragment): fragment.directives
            }
        }

        /// The selections of the definition.
        package var selections: [Selection] {
            switch self {
            case .operation(let operation): operation.selections
            case .fragment(let fragment): fragment.selections
            }
        }
    }
}

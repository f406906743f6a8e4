import TidemarkModel

/// An operation: `query Name($variable: Type = default) @directive { … }`, or a selection set alone.
package struct OperationDefinition: Hashable, Sendable {
    package var kind: OperationKind
    /// The name of the operation; nil if it has none.
    package var name: Name?
    package var variables: [VariableDefinition]
    package var directives: [Directive]
    /// The selections; at least one.
    package var selections: [Selection]
    /// The place of its first word, or of its brace.
    package var place: SourcePlace

    package init(
        kind: OperationKind, name: Name?, variables: [VariableDefinition], directives: [Directive],
        selections: [Selection], at place: SourcePlace
    ) {
        self.kind = kind
        self.name = name
        self.variables = variables
        self.directives = directives
        self.selections = selections
        self.place = place
    }
}

/// The definition of a variable: `$name: Type = default @directive`.
package struct VariableDefinition: Hashable, Sendable {
    /// The name without its `$`; its place is that of the `$`.
    package var name: Name
    package var type: TypeReference
    package var defaultValue: Value?
    package var directives: [Directive]

    package init(name: Name, type: TypeReference, defaultValue: Value?, directives: [Directive]) {
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.directives = directives
    }
}

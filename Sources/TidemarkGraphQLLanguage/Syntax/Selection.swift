import TidemarkModel

/// A member of a selection set: a field, a fragment spread or an inline fragment.
package indirect enum Selection: Hashable, Sendable {
    /// A field.
    case field(Field)
    /// The spread of a fragment.
    case spread(FragmentSpread)
    /// An inline fragment.
    case inline(InlineFragment)

    /// The place of the selection's first character.
    package var place: SourcePlace {
        switch self {
        case .field(let field): field.place
        case .spread(let spread): spread.place
        case .inline(let fragment): fragment.place
        }
    }

    /// The directives on the selection, in the order written.
    package var directives: [Directive] {
        switch self {
        case .field(let field): field.directives
        case .spread(let spread): spread.directives
        case .inline(let fragment): fragment.directives
        }
    }

    /// The selections in its own braces; empty if it has none.
    package var selections: [Selection] {
        switch self {
        case .field(let field): field.selections
        case .spread: []
        case .inline(let fragment): fragment.selections
        }
    }
}

/// A field: `alias: name(argument: value) @directive { … }`.
package struct Field: Hashable, Sendable {
    /// The alias; nil if there is none.
    package var alias: Name?
    package var name: Name
    package var arguments: [NamedValue]
    package var directives: [Directive]
    /// The selections in braces; empty if the field has none.
    package var selections: [Selection]
    /// True if the field was added for sending. It never appears in `data`.
    package var isAdded: Bool

    package init(
        alias: Name?, name: Name, arguments: [NamedValue], directives: [Directive], selections: [Selection],
        isAdded: Bool = false
    ) {
        self.alias = alias
        self.name = name
        self.arguments = arguments
        self.directives = directives
        self.selections = selections
        self.isAdded = isAdded
    }

    /// The name of the field's value in `data`: the alias, or else the name.
    package var responseName: ByteString { alias?.text ?? name.text }

    /// The place of its first word.
    package var place: SourcePlace { alias?.place ?? name.place }
}

/// The spread of a fragment: `...Name @directive`.
package struct FragmentSpread: Hashable, Sendable {
    package var name: Name
    package var directives: [Directive]
    /// The place of its `...`.
    package var place: SourcePlace

    package init(name: Name, directives: [Directive], at place: SourcePlace) {
        self.name = name
        self.directives = directives
        self.place = place
    }
}

/// An inline fragment: `... on Type @directive { … }`.
package struct InlineFragment: Hashable, Sendable {
    /// The type condition; nil if there is none, in which case the fragment applies to any type.
    package var typeCondition: Name?
    package var directives: [Directive]
    /// The selections; at least one.
    package var selections: [Selection]
    /// True if the fragment was added for sending.
    package var isAdded: Bool
    /// The place of its `...`.
    package var place: SourcePlace

    package init(
        typeCondition: Name?, directives: [Directive], selections: [Selection], isAdded: Bool = false,
        at place: SourcePlace
    ) {
        self.typeCondition = typeCondition
        self.directives = directives
        self.selections = selections
        self.isAdded = isAdded
        self.place = place
    }
}

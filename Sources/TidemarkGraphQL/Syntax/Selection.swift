import TidemarkModel

/// One member of a selection set.
package indirect enum Selection: Hashable, Sendable {
    case field(Field)
    case spread(FragmentSpread)
    case inline(InlineFragment)

    package var place: SourcePlace {
        switch self {
        case .field(let field): field.place
        case .spread(let spread): spread.place
        case .inline(let fragment): fragment.place
        }
    }

    package var directives: [Directive] {
        switch self {
        case .field(let field): field.directives
        case .spread(let spread): spread.directives
        case .inline(let fragment): fragment.directives
        }
    }

    /// The selections in its own braces.
    package var selections: [Selection] {
        switch self {
        case .field(let field): field.selections
        case .spread: []
        case .inline(let fragment): fragment.selections
        }
    }
}

/// `alias: name(argument: value) @directive { … }`.
package struct Field: Hashable, Sendable {
    package var alias: Name?
    package var name: Name
    package var arguments: [NamedValue]
    package var directives: [Directive]
    /// Empty when the field has no braces.
    package var selections: [Selection]
    /// The transformation for sending added it: it never shows in `data`.
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

    /// The name that the value has in `data`: the alias, else the name.
    package var responseName: ByteString { alias?.text ?? name.text }

    /// The place of its first word.
    package var place: SourcePlace { alias?.place ?? name.place }
}

/// `...Name @directive`.
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

/// `... on Type @directive { … }`.
package struct InlineFragment: Hashable, Sendable {
    /// The type condition; nil when the fragment has none and applies to whatever holds it.
    package var typeCondition: Name?
    package var directives: [Directive]
    /// The selections; at least one.
    package var selections: [Selection]
    /// The transformation for sending added it.
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

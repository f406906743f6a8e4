import TidemarkModel

extension SourcePlace {
    /// The place of a part that was not read from a document.
    package static let none = SourcePlace(line: 0, column: 0)
}

extension ExecutableDocument {
    /// The document with every place set to ``SourcePlace/none``, which makes all layouts of a document equal.
    package var withoutPlaces: ExecutableDocument {
        ExecutableDocument(
            definitions: definitions.map { definition in
                switch definition {
                case .operation(let operation): .operation(operation.withoutPlaces)
                case .fragment(let fragment): .fragment(fragment.withoutPlaces)
                }
            })
    }
}

extension OperationDefinition {
    fileprivate var withoutPlaces: OperationDefinition {
        OperationDefinition(
            kind: kind, name: name?.withoutPlace,
            variables: variables.map {
                VariableDefinition(
                    name: $0.name.withoutPlace, type: $0.type.withoutPlaces,
                    defaultValue: $0.defaultValue?.withoutPlaces,
                    directives: $0.directives.map(\.withoutPlaces))
            }, directives: directives.map(\.withoutPlaces), selections: selections.map(\.withoutPlaces), at: .none)
    }
}

extension FragmentDefinition {
    fileprivate var withoutPlaces: FragmentDefinition {
        FragmentDefinition(
            name: name.withoutPlace, typeCondition: typeCondition.withoutPlace,
            directives: directives.map(\.withoutPlaces), selections: selections.map(\.withoutPlaces), at: .none)
    }
}

extension Selection {
    fileprivate var withoutPlaces: Selection {
        switch self {
        case .field(let field):
            .field(
                Field(
                    alias: field.alias?.withoutPlace, name: field.name.withoutPlace,
                    arguments: field.arguments.map(\.withoutPlaces), directives: field.directives.map(\.withoutPlaces),
                    selections: field.selections.map(\.withoutPlaces), isAdded: field.isAdded))
        case .spread(let spread):
            .spread(
                FragmentSpread(
                    name: spread.name.withoutPlace, directives: spread.directives.map(\.withoutPlaces), at: .none))
        case .inline(let fragment):
            .inline(
                InlineFragment(
                    typeCondition: fragment.typeCondition?.withoutPlace,
                    directives: fragment.directives.map(\.withoutPlaces),
                    selections: fragment.selections.map(\.withoutPlaces), isAdded: fragment.isAdded, at: .none))
        }
    }
}

extension Name {
    fileprivate var withoutPlace: Name { Name(text, at: .none) }
}

extension NamedValue {
    fileprivate var withoutPlaces: NamedValue { NamedValue(name: name.withoutPlace, value: value.withoutPlaces) }
}

extension Directive {
    fileprivate var withoutPlaces: Directive {
        Directive(name: name.withoutPlace, arguments: arguments.map(\.withoutPlaces), at: .none)
    }
}

extension TypeReference {
    fileprivate var withoutPlaces: TypeReference {
        switch self {
        case .named(let name): .named(name.withoutPlace)
        case .list(let element, _): .list(element.withoutPlaces, .none)
        case .nonNull(let type): .nonNull(type.withoutPlaces)
        }
    }
}

extension Value {
    /// The same value with every place set to ``SourcePlace/none``.
    package var withoutPlaces: Value {
        let kind: Kind =
            switch self.kind {
            case .variable, .int, .float, .boolean, .null, .enumeration: self.kind
            case .string(let string): .string(StringValue(string.text, isBlock: string.isBlock, at: .none))
            case .list(let elements): .list(elements.map(\.withoutPlaces))
            case .object(let fields): .object(fields.map(\.withoutPlaces))
            }
        return Value(kind, at: .none)
    }
}

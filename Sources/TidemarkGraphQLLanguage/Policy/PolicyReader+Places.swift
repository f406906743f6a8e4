extension PolicyReader {
    /// Reports directives of policies wherever they have no meaning, which is everywhere except on types and their
    /// fields.
    mutating func refuseElsewhere(_ definition: Document.Definition) {
        switch definition {
        case .schema(let schema): refuse(schema.directives)
        case .directive(let directive): refuse(directive.arguments)
        case .type(let type):
            switch type.body {
            case .object(_, let fields), .interface(_, let fields):
                for field in fields { refuse(field.arguments) }
            case .union: break
            case .scalar: refuse(type.directives)
            case .enumeration(let values):
                refuse(type.directives)
                for value in values { refuse(value.directives) }
            case .input(let fields):
                refuse(type.directives)
                refuse(fields)
            }
        }
    }

    mutating func refuse(_ directive: Directive) {
        guard let known = PolicyDirective(directive) else { return }
        let advice = known == .control ? "a type, interface, union or field" : "a type or an interface"
        errors.append(
            .misplacedDirective, "@\(known.rawValue) has no meaning here; write it on \(advice)", at: directive.place)
    }

    private mutating func refuse(_ directives: [Directive]) {
        for directive in directives { refuse(directive) }
    }

    private mutating func refuse(_ inputs: [InputValueDefinition]) {
        for input in inputs { refuse(input.directives) }
    }
}

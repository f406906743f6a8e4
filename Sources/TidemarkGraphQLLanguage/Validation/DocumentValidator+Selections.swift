import TidemarkModel

extension DocumentValidator {
    /// Checks all selections with their types.
    mutating func walk(_ schema: GraphQLSchema) {
        for (index, definition) in outline.definitions.enumerated() {
            guard !findings.isFull else { return }
            current = index
            switch definition {
            case .operation(let operation): walk(operation, schema)
            case .fragment(let fragment):
                check(fragment.directives, at: .fragmentDefinition, schema)
                let type = condition(fragment.typeCondition, schema)
                walk(fragment.selections, in: type, schema)
            }
        }
    }

    private mutating func walk(_ operation: OperationDefinition, _ schema: GraphQLSchema) {
        checkDefinitions(operation.variables, schema)
        let location: DirectiveLocation =
            switch operation.kind {
            case .query: .query
            case .mutation: .mutation
            case .subscription: .subscription
            }
        check(operation.directives, at: location, schema)
        let root = schema.roots[operation.kind]
        if root == nil {
            findings.append(
                .missingRoot, "The schema has no type for \(operation.kind.rawValue); use another operation.",
                at: operation.place)
        }
        if operation.kind == .subscription { checkSubscription(operation) }
        walk(operation.selections, in: root, schema)
    }

    /// - Parameter parent: The type that the selections are made on; if nil, fields cannot be checked.
    private mutating func walk(_ selections: [Selection], in parent: SchemaTypeID?, _ schema: GraphQLSchema) {
        for selection in selections {
            guard !findings.isFull else { return }
            switch selection {
            case .field(let field): walk(field, in: parent, schema)
            case .inline(let fragment):
                check(fragment.directives, at: .inlineFragment, schema)
                var type = parent
                if let name = fragment.typeCondition {
                    type = condition(name, schema)
                    checkOverlap(type, parent, of: nil, at: fragment.place, schema)
                }
                walk(fragment.selections, in: type, schema)
            case .spread(let spread):
                check(spread.directives, at: .fragmentSpread, schema)
                guard let index = outline.fragmentIndices[spread.name.text] else { continue }
                let type = schema.id(outline.fragment(index).typeCondition.text)
                checkOverlap(type, parent, of: spread.name, at: spread.place, schema)
            }
        }
    }

    private mutating func walk(_ field: Field, in parent: SchemaTypeID?, _ schema: GraphQLSchema) {
        check(field.directives, at: .field, schema)
        guard let parent else {
            // The variables in the arguments count as used, but their types cannot be checked.
            return walk(field.selections, in: nil, schema)
        }
        guard let definition = schema.field(field.name.text, of: parent) else {
            findings.append(
                .unknownField,
                "\(DocumentValidator.excerpt(schema[parent].name)) has no field "
                    + "\(DocumentValidator.excerpt(field.name.text)); select one that it has.", at: field.name.place)
            return walk(field.selections, in: nil, schema)
        }
        check(
            field.arguments, of: definition.arguments, owner: "The field \(DocumentValidator.excerpt(field.name.text))",
            at: field.place, schema)
        let type = schema[definition.type.named]
        if type.isComposite, field.selections.isEmpty {
            findings.append(
                .missingSelection,
                "\(DocumentValidator.excerpt(field.name.text)) is \(schema.text(of: definition.type)), \(type.kind.rawValue);"
                    + " select its fields in braces.", at: field.place)
        }
        if !type.isComposite, !field.selections.isEmpty {
            findings.append(
                .unexpectedSelection,
                "\(DocumentValidator.excerpt(field.name.text)) is \(schema.text(of: definition.type)) and has no fields; "
                    + "remove the braces.", at: field.place)
        }
        walk(field.selections, in: type.isComposite ? definition.type.named : nil, schema)
    }

    /// Sections 5.5.1.2 and 5.5.1.3: the type condition of a fragment exists and has fields.
    ///
    /// - Returns: nil if there is no such type, or it has no fields.
    private mutating func condition(_ name: Name, _ schema: GraphQLSchema) -> SchemaTypeID? {
        guard let id = schema.id(name.text) else {
            findings.append(
                .unknownType,
                "The schema has no type \(DocumentValidator.excerpt(name.text)); name one that it has.", at: name.place)
            return nil
        }
        guard schema[id].isComposite else {
            findings.append(
                .fragmentOnLeaf,
                "\(DocumentValidator.excerpt(name.text)) is \(schema[id].kind.rawValue); a fragment is for an object type, "
                    + "an interface or a union.", at: name.place)
            return nil
        }
        return id
    }

    /// Section 5.5.2.3: an object can have both the fragment's type and the type it is spread on.
    private mutating func checkOverlap(
        _ type: SchemaTypeID?, _ parent: SchemaTypeID?, of name: Name?, at place: SourcePlace, _ schema: GraphQLSchema
    ) {
        guard let type, let parent, schema[type].isComposite, schema[parent].isComposite else { return }
        let pair = TypePair(left: type, right: parent)
        let overlap = overlaps[pair] ?? schema.overlap(type, parent)
        overlaps[pair] = overlap
        guard !overlap else { return }
        let words = name.map { "The fragment \(DocumentValidator.excerpt($0.text))" } ?? "This fragment"
        findings.append(
            .impossibleFragment,
            "\(words) is for \(DocumentValidator.excerpt(schema[type].name)), and no "
                + "\(DocumentValidator.excerpt(schema[parent].name)) can be one; remove it.", at: place)
    }

    /// Section 5.2.3.1: a subscription selects one root field.
    private mutating func checkSubscription(_ operation: OperationDefinition) {
        var names: Set<ByteString> = []
        var seen: Set<Int> = []
        var waiting = [operation.selections]
        while let selections = waiting.popLast() {
            for selection in selections where !DocumentValidator.isLeftOut(selection) {
                switch selection {
                case .field(let field):
                    if field.name.text.bytes.starts(with: [0x5F, 0x5F]) {
                        findings.append(
                            .subscriptionRoot,
                            "A subscription cannot select \(field.name.text); select one of its fields.",
                            at: field.place)
                    }
                    if names.insert(field.responseName).inserted, names.count > 1 {
                        findings.append(
                            .subscriptionRoot,
                            "A subscription selects one field; start one subscription for each field.",
                            at: field.place)
                    }
                case .inline(let fragment): waiting.append(fragment.selections)
                case .spread(let spread):
                    guard let index = outline.fragmentIndices[spread.name.text], seen.insert(index).inserted else {
                        continue
                    }
                    waiting.append(outline.fragment(index).selections)
                }
            }
        }
    }

    /// True if a selection is left out whatever the variables are.
    private static func isLeftOut(_ selection: Selection) -> Bool {
        selection.directives.contains { directive in
            guard let argument = directive.arguments.first(where: { $0.name.text == "if" }) else { return false }
            return directive.name.text == "skip" && argument.value.kind == .boolean(true)
                || directive.name.text == "include" && argument.value.kind == .boolean(false)
        }
    }
}

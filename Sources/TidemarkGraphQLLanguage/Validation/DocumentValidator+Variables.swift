import TidemarkModel

extension DocumentValidator {
    /// Section 5.8: variables are defined once, are used, and fit the types at their uses.
    mutating func checkVariables() {
        for index in outline.operations {
            guard !findings.isFull else { return }
            let operation = outline.operation(index)
            var defined: [ByteString: VariableDefinition] = [:]
            for variable in operation.variables {
                if defined.updateValue(variable, forKey: variable.name.text) != nil {
                    findings.append(
                        .duplicateVariable,
                        "The variable $\(DocumentValidator.excerpt(variable.name.text)) is defined twice; define it once.",
                        at: variable.name.place)
                }
            }
            check(operation, defined, reachable: outline.reachable(from: index))
        }
    }

    private mutating func check(
        _ operation: OperationDefinition, _ defined: [ByteString: VariableDefinition], reachable: [Int]
    ) {
        var used: Set<ByteString> = []
        for definition in reachable {
            for use in outline.uses[definition] {
                used.insert(use.text)
                guard defined[use.text] == nil else { continue }
                let words = operation.name.map { "The operation \(DocumentValidator.excerpt($0.text))" }
                findings.append(
                    .undefinedVariable,
                    "\(words ?? "The operation") does not define $\(DocumentValidator.excerpt(use.text)); define it.",
                    at: use.place)
            }
            for use in typedUses[definition] {
                if let variable = defined[use.name] { check(use, of: variable) }
            }
            guard !findings.isFull else { return }
        }
        guard schema != nil else { return }
        for variable in operation.variables where !used.contains(variable.name.text) {
            findings.append(
                .unusedVariable,
                "The variable $\(DocumentValidator.excerpt(variable.name.text)) is never used; use it, or remove it.",
                at: variable.name.place)
        }
    }

    /// Section 5.8.5: the type of a variable fits at its use.
    private mutating func check(_ use: VariableUse, of variable: VariableDefinition) {
        guard let schema, let type = schema.resolve(variable.type), schema[type.named].isInput else { return }
        guard !DocumentValidator.isAllowed(type, variable.defaultValue, at: use) else { return }
        findings.append(
            .variableMismatch,
            "The variable $\(DocumentValidator.excerpt(use.name)) is \(schema.text(of: type)), and "
                + "\(schema.text(of: use.type)) is expected here; give it that type.", at: use.place)
    }

    private static func isAllowed(
        _ type: SchemaTypeReference, _ defaultValue: Value?, at use: VariableUse
    ) -> Bool {
        guard case .nonNull(let wanted) = use.type, !type.isNonNull else { return areCompatible(type, use.type) }
        let hasValue = defaultValue.map { $0.kind != .null } ?? false
        return (hasValue || use.hasDefault) && areCompatible(type, wanted)
    }

    private static func areCompatible(_ type: SchemaTypeReference, _ wanted: SchemaTypeReference) -> Bool {
        switch (type, wanted) {
        case (.nonNull(let type), .nonNull(let wanted)): areCompatible(type, wanted)
        case (_, .nonNull): false
        case (.nonNull(let type), _): areCompatible(type, wanted)
        case (.list(let type), .list(let wanted)): areCompatible(type, wanted)
        case (.named(let type), .named(let wanted)): type == wanted
        case (.list, .named), (.named, .list): false
        }
    }
}

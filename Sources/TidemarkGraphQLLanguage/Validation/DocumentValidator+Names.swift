import TidemarkModel

extension DocumentValidator {
    /// Sections 5.2.1, 5.2.2 and 5.5.1.1: operations and fragments have different names.
    mutating func checkNames() {
        if purpose == .operations, outline.operations.isEmpty {
            findings.append(
                .noOperation, "The document has no operation; add a query, a mutation or a subscription.",
                at: SourcePlace(line: 1, column: 1))
        }
        var operations: Set<ByteString> = []
        for index in outline.operations {
            let operation = outline.operation(index)
            guard let name = operation.name else {
                if outline.operations.count > 1 {
                    findings.append(
                        .unnamedOperation,
                        "An operation without a name stands beside others; give every operation a name.",
                        at: operation.place)
                }
                continue
            }
            if !operations.insert(name.text).inserted {
                findings.append(
                    .duplicateOperation,
                    "Two operations are named \(DocumentValidator.excerpt(name.text)); give each a name of its own.",
                    at: name.place)
            }
        }
        for index in outline.fragments {
            let name = outline.fragment(index).name
            if outline.fragmentIndices[name.text] != index {
                findings.append(
                    .duplicateFragment,
                    "Two fragments are named \(DocumentValidator.excerpt(name.text)); give each a name of its own.",
                    at: name.place)
            }
        }
    }

    /// Section 5.4.2: no argument is given twice.
    mutating func checkArgumentNames() {
        for definition in outline.definitions {
            if case .operation(let operation) = definition {
                for variable in operation.variables { checkArgumentNames(variable.directives) }
            }
            checkArgumentNames(definition.directives)
            checkArgumentNames(definition.selections)
        }
    }

    private mutating func checkArgumentNames(_ selections: [Selection]) {
        for selection in selections {
            if case .field(let field) = selection { checkUnique(field.arguments) }
            checkArgumentNames(selection.directives)
            checkArgumentNames(selection.selections)
        }
    }

    private mutating func checkArgumentNames(_ directives: [Directive]) {
        for directive in directives { checkUnique(directive.arguments) }
    }

    private mutating func checkUnique(_ arguments: [NamedValue]) {
        guard arguments.count > 1 else { return }
        var names: Set<ByteString> = []
        for argument in arguments where !names.insert(argument.name.text).inserted {
            findings.append(
                .duplicateArgument,
                "The argument \(DocumentValidator.excerpt(argument.name.text)) is given twice; give it once.",
                at: argument.name.place)
        }
    }
}

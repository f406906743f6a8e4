import TidemarkJSON
import TidemarkGraphQLLanguage
import TidemarkModel

/// Writes the type of an operation or a fragment.
struct OperationWriter {
    let types: SwiftTypeNames
    let access: String

    func declaration(_ operation: OperationModel) -> SwiftTypeDeclaration {
        let variables = operation.variables.map(property)
        var members: [SwiftDeclaration] = [
            constant("operationName", .text("\"\(operation.name)\"")),
            constant("documentID", .text("\"\(OperationWriter.identity(operation.document))\"")),
            constant("document", .lines(OperationWriter.trimmed(operation.document))),
        ]
        members += variables.map { $0.property(access) }
        members.append(.function(InputProperty.initializer(variables, access)))
        let body: [SwiftStatement] =
            variables.isEmpty
            ? [.expression(.text("[:]"))]
            : [.assignment("var object", .text("InputWriter()"))] + variables.map(\.writing)
                + [.expression(.text("return object.value"))]
        members.append(
            .property(SwiftProperty(access: access, name: "variables", type: "JSONValue", getter: body)))
        members.append(
            .type(
                StructureWriter(types: types, access: access).declaration(
                    operation.data, comment: "The data that \(operation.name) asks for.")))
        return SwiftTypeDeclaration(
            comment: "The \(operation.kind.rawValue) `\(operation.name)`.", access: access, keyword: "struct",
            name: operation.path.last, conformances: ["Typed\(operation.kind.typeName)"], members: members)
    }

    func declaration(_ fragment: FragmentModel) -> SwiftTypeDeclaration {
        StructureWriter(types: types, access: access).declaration(
            fragment.selection, conformance: "TypedFragment",
            comment: "The fragment `\(fragment.name)` on `\(fragment.selection.typename)`.",
            more: [
                constant("fragmentName", .text("\"\(fragment.name)\"")),
                constant("document", .lines(OperationWriter.trimmed(fragment.document))),
            ])
    }

    private func constant(_ name: String, _ value: SwiftExpression) -> SwiftDeclaration {
        .property(SwiftProperty(access: access, isStatic: true, isConstant: true, name: name, value: value))
    }

    private func property(_ variable: VariableModel) -> InputProperty {
        let mustBeGiven = variable.type.isNonNull && variable.defaultValue == nil
        let literal = variable.defaultValue.flatMap { LiteralWriter(types: types).text($0, variable.type) }
        if variable.type.isNonNull, let literal {
            return InputProperty(
                name: variable.swiftName, graphName: variable.name, type: types.input(variable.type), value: literal)
        }
        let value = mustBeGiven ? "" : literal.map { $0 == "nil" ? ".null" : ".value(\($0))" } ?? ".absent"
        return InputProperty(
            name: variable.swiftName, graphName: variable.name,
            type: mustBeGiven ? types.input(variable.type) : types.nullableInput(variable.type), value: value)
    }

    private static func identity(_ document: String) -> String {
        SHA256Digest(of: Array(trimmed(document).utf8)).hexadecimal
    }

    /// Returns the document without its last line end, which the literal does not have.
    private static func trimmed(_ document: String) -> String {
        document.hasSuffix("\n") ? String(document.dropLast()) : document
    }
}

/// Writes defaults of variables as Swift.
struct LiteralWriter {
    let types: SwiftTypeNames

    /// Returns a default as a Swift literal.
    ///
    /// - Returns: nil for values without a short literal: objects, and values of custom scalars.
    func text(_ value: Value, _ type: SchemaTypeReference) -> String? {
        switch (value.kind, type.nullable) {
        case (.null, _): return "nil"
        case (.list(let elements), .list(let element)):
            let texts = elements.compactMap { text($0, element) }
            return texts.count == elements.count ? "[\(texts.joined(separator: ", "))]" : nil
        case (_, .list(let element)): return text(value, element).map { "[\($0)]" }
        case (.enumeration(let name), .named(let id)) where types.schema[id].kind == .enumeration:
            return "\(types.names[types.schema[id].name.description] ?? "")(rawValue: \"\(name)\")"
        case (_, .named(let id)): return scalar(value, types.schema[id].name.description)
        default: return nil
        }
    }

    private func scalar(_ value: Value, _ type: String) -> String? {
        switch (value.kind, type) {
        case (.int(let digits), "Int"), (.int(let digits), "Float"): return digits.description
        case (.float(let digits), "Float"): return digits.description
        case (.int(let digits), "ID"): return "\"\(digits)\""
        case (.boolean(let flag), "Boolean"): return flag ? "true" : "false"
        case (.string(let text), "String"), (.string(let text), "ID"):
            let string = text.text.description
            let isPlain = string.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
            return isPlain ? "\"\(string)\"" : nil
        default: return nil
        }
    }
}

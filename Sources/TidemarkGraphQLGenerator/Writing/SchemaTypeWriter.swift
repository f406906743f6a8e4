import TidemarkGraphQLLanguage
import TidemarkModel

/// Writes enums and input types.
struct SchemaTypeWriter {
    let types: SwiftTypeNames
    let access: String

    func declaration(_ enumeration: EnumerationModel) -> SwiftTypeDeclaration {
        var members: [SwiftDeclaration] = enumeration.cases.map {
            .enumerationCase(comment: $0.description, name: $0.name, payload: "")
        }
        members.append(
            .enumerationCase(
                comment: "A value that the schema did not have when this was generated.", name: "unknown",
                payload: "(String)"))
        members.append(
            .property(
                SwiftProperty(
                    access: access, isStatic: true, isConstant: true, name: "knownCases",
                    type: "[\(enumeration.swiftName)]",
                    value: .list(enumeration.cases.map { ".\(SwiftName.escaped($0.name))" }))))
        members.append(
            .property(
                SwiftProperty(
                    access: access, name: "rawValue", type: "String",
                    getter: [
                        .choice(
                            "self",
                            enumeration.cases.map { ("case .\(SwiftName.escaped($0.name))", "\"\($0.value)\"") }
                                + [("case .unknown(let value)", "value")])
                    ])))
        members.append(
            .function(
                SwiftFunction(
                    access: access, name: "init", parameters: [SwiftParameter(name: "rawValue", type: "String")],
                    body: [
                        .choice(
                            "rawValue",
                            enumeration.cases.map {
                                ("case \"\($0.value)\"", "self = .\(SwiftName.escaped($0.name))")
                            } + [("default", "self = .unknown(rawValue)")])
                    ])))
        return SwiftTypeDeclaration(
            comment: enumeration.description ?? "The enum `\(enumeration.name)` of the schema.", access: access,
            keyword: "enum", name: enumeration.swiftName, conformances: ["TypedEnumeration"], members: members)
    }

    func declaration(_ input: InputModel) -> SwiftTypeDeclaration {
        let fields = input.fields.map { field in
            let mustBeGiven = field.type.isNonNull && !field.hasDefault
            return InputProperty(
                name: field.swiftName, graphName: field.name,
                type: mustBeGiven ? types.input(field.type) : types.nullableInput(field.type),
                value: mustBeGiven ? "" : ".absent", comment: field.description)
        }
        var members: [SwiftDeclaration] = fields.map { $0.property(access) }
        members.append(.function(InputProperty.initializer(fields, access)))
        members.append(
            .function(
                SwiftFunction(
                    access: access, name: "func write",
                    parameters: [SwiftParameter(name: "to object", type: "inout InputWriter")],
                    body: fields.map(\.writing))))
        return SwiftTypeDeclaration(
            comment: input.description ?? "The input type `\(input.name)` of the schema.", access: access,
            keyword: "struct", name: input.swiftName, conformances: ["TypedInput"], members: members)
    }
}

/// A property of an input type, or a variable of an operation.
struct InputProperty {
    var name: String
    var graphName: String
    var type: String
    /// The default in the initializer, or empty.
    var value: String
    var comment: String?

    func property(_ access: String) -> SwiftDeclaration {
        .property(SwiftProperty(comment: comment, access: access, name: name, type: type))
    }

    var writing: SwiftStatement {
        .expression(.text("object.write(\"\(graphName)\", self.\(SwiftName.escaped(name)))"))
    }

    static func initializer(_ properties: [InputProperty], _ access: String) -> SwiftFunction {
        SwiftFunction(
            access: access, name: "init",
            parameters: properties.map {
                SwiftParameter(name: SwiftName.escaped($0.name), type: $0.type, value: $0.value)
            },
            body: properties.map {
                .assignment("self.\(SwiftName.escaped($0.name))", .text(SwiftName.escaped($0.name)))
            })
    }
}

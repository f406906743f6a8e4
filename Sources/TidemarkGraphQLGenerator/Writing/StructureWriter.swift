import TidemarkGraphQLLanguage
import TidemarkModel

/// Writes the structure of a selection.
struct StructureWriter {
    let types: SwiftTypeNames
    let access: String

    /// Returns the declaration of a selection's structure.
    ///
    /// - Parameters:
    ///   - more: The declarations at the beginning.
    func declaration(
        _ selection: SelectionModel, conformance: String = "SelectionSet", comment: String? = nil,
        more: [SwiftDeclaration] = []
    ) -> SwiftTypeDeclaration {
        let shape = SelectionShape(selection, types)
        var members = more + statics(selection)
        members += shape.properties.map { .property(property($0)) }
        members.append(.function(initializer(shape)))
        members.append(.function(reader(shape)))
        members.append(.function(writer(shape)))
        members += views(shape)
        members += fragments(selection)
        members += selection.nested.map { .type(declaration($0)) }
        return SwiftTypeDeclaration(
            comment: comment ?? selection.description ?? "An object of type `\(selection.typename)`.", access: access,
            keyword: "struct", name: selection.path.last, conformances: [conformance], members: members)
    }

    private func statics(_ selection: SelectionModel) -> [SwiftDeclaration] {
        let typenames = selection.isRoot ? [] : selection.typenames
        let ages = selection.fields.filter { $0.name != "typename" }.compactMap { field in
            field.maxAge.map { "\"\(field.responseName)\": \($0)" }
        }
        var members: [SwiftDeclaration] = [
            .property(
                SwiftProperty(
                    access: access, isStatic: true, isConstant: true, name: "typenames", type: "[String]",
                    value: .list(typenames.map { "\"\($0)\"" })))
        ]
        if !ages.isEmpty {
            members.append(
                .property(
                    SwiftProperty(
                        access: access, isStatic: true, isConstant: true, name: "ages", type: "[String: Int]",
                        value: .list(ages))))
        }
        return members
    }

    private func property(_ property: SelectionShape.Property) -> SwiftProperty {
        SwiftProperty(
            comment: property.comment, attribute: property.isDeferred ? "@Deferred" : "",
            access: property.isStorage ? "private " : access, name: property.name, type: property.type,
            observer: property.isStorage ? [] : property.observer)
    }

    // MARK: Functions

    private func initializer(_ shape: SelectionShape) -> SwiftFunction {
        SwiftFunction(
            access: access, name: "init",
            parameters: shape.properties.map { property in
                SwiftParameter(
                    name: SwiftName.escaped(property.parameter), type: property.type, value: property.value)
            },
            body: shape.properties.map { property in
                .assignment(
                    "self.\(SwiftName.escaped(property.name))", .text(SwiftName.escaped(property.parameter)))
            })
    }

    private func reader(_ shape: SelectionShape) -> SwiftFunction {
        SwiftFunction(
            access: access, name: "init",
            parameters: [SwiftParameter(name: "reading object", type: "inout SelectionReader")],
            effects: "throws(SelectionError)",
            body: shape.properties.map { property in
                .assignment(
                    "self.\(property.isDeferred ? "_\(property.name)" : SwiftName.escaped(property.name))",
                    .text("try object.\(property.reading)"))
            })
    }

    private func writer(_ shape: SelectionShape) -> SwiftFunction {
        SwiftFunction(
            access: access, name: "func write",
            parameters: [SwiftParameter(name: "to object", type: "inout SelectionWriter")],
            body: shape.properties.map { .expression(.text("object.\($0.writing)")) })
    }

    private func views(_ shape: SelectionShape) -> [SwiftDeclaration] {
        shape.properties.filter(\.isStorage).map { property in
            .property(
                SwiftProperty(
                    comment: "The object as \(property.words); nil when it is of another type.",
                    access: access, name: property.parameter, type: property.type,
                    getter: [.expression(.text(property.name))],
                    setter: [.assignment(property.name, .text("newValue"))] + property.observer))
        }
    }

    // MARK: Fragments

    private func fragments(_ selection: SelectionModel) -> [SwiftDeclaration] {
        var members: [SwiftDeclaration] = selection.spreads.map { spread in
            var type = spread.path.description
            var text = "\(type)(base)"
            if let view = spread.view {
                let inner =
                    selection.views.first { $0.name == view }?.selection.spreads.first { $0.path == spread.path }
                text = "base.\(view)?.fragments.\(SwiftName.escaped(inner?.name ?? spread.name))"
                type += "?"
            }
            return .property(
                SwiftProperty(access: access, name: spread.name, type: type, getter: [.expression(.text(text))]))
        }
        var names = NameScope(Set(selection.spreads.map(\.name)).union(["base", "self", "init"]))
        let stored =
            selection.conditionals.map { ($0.name, $0.path) }
            + selection.deferrals.map { ($0.name, $0.selection.path) }
        for (name, path) in stored where path.names.count == 1 {
            members.append(
                .property(
                    SwiftProperty(
                        access: access, name: names.reserve(name, suffix: "Fragment"), type: "\(path)?",
                        getter: [.expression(.text("base.\(SwiftName.escaped(name))"))])))
        }
        guard !members.isEmpty else { return [] }
        let base = SwiftProperty(
            access: "fileprivate ", isConstant: true, name: "base", type: selection.path.last)
        return [
            .property(
                SwiftProperty(
                    comment: "The fragments that the document spreads here.", access: access, name: "fragments",
                    type: "Fragments", getter: [.expression(.text("Fragments(base: self)"))])),
            .type(
                SwiftTypeDeclaration(
                    comment: "Fragments of `\(selection.path)`.", access: access, keyword: "struct", name: "Fragments",
                    conformances: ["Hashable", "Sendable"], members: [.property(base)] + members)),
        ]
    }
}

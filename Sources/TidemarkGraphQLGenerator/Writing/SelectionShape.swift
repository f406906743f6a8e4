import TidemarkGraphQLLanguage
import TidemarkModel

/// The stored properties of a selection's structure, in the order in which they are read.
struct SelectionShape {
    struct Property {
        var name: String
        /// The name in the initializer, which differs for the storage of a view.
        var parameter: String
        var type: String
        /// The default in the initializer, or empty.
        var value = ""
        var comment: String?
        var isDeferred = false
        /// True for the storage of a view, which is accessed through a computed property.
        var isStorage = false
        /// The names of a view's types, for its comment.
        var words = ""
        /// The call of a reader that returns the value.
        var reading: String
        /// The call of a writer that receives the value.
        var writing: String
        /// The statements that copy the value between a field and the same field of views.
        var observer: [SwiftStatement] = []
    }

    private(set) var properties: [Property] = []
    private let types: SwiftTypeNames

    init(_ selection: SelectionModel, _ types: SwiftTypeNames) {
        self.types = types
        var storage = NameScope(Set(selection.fields.map(\.name)))
        let views = selection.views.map { view in
            (view: view, storage: storage.reserve("stored\(view.selection.path.last)", suffix: "View"))
        }
        for field in selection.fields { properties.append(property(field, selection, views)) }
        for conditional in selection.conditionals { properties.append(property(conditional)) }
        for deferral in selection.deferrals { properties.append(property(deferral, selection)) }
        for (view, storage) in views { properties.append(property(view, storage, selection)) }
    }

    private func type(_ field: FieldModel, in selection: SelectionModel) -> String {
        let full = types.output(field.type, composite: field.selection.map { name(of: $0, in: selection) })
        return field.isConditional && field.type.isNonNull ? full + "?" : full
    }

    private func name(of reference: SelectionReference, in selection: SelectionModel) -> String {
        switch reference {
        case .own(let inner): return inner.path.last
        case .shared(let path):
            let isHidden = selection.nested.contains { $0.path.last == path.last }
            return path.enclosing == selection.path.enclosing && !isHidden && path.names.count > 1
                ? path.last : path.description
        }
    }

    private func property(
        _ field: FieldModel, _ selection: SelectionModel, _ views: [(view: SelectionViewModel, storage: String)]
    ) -> Property {
        let type = type(field, in: selection)
        let name = SwiftName.escaped(field.name)
        let isTypename = field.name == "typename"
        var value = field.isConditional || !field.type.isNonNull ? "nil" : ""
        if isTypename, selection.typenames.count == 1 { value = "\"\(selection.typenames[0])\"" }
        let call = field.isConditional ? "conditional" : "value"
        let writing = field.isConditional ? "writeConditional" : "write"
        // The name of the type never changes.
        let observer: [SwiftStatement] = views.compactMap { view, storage in
            guard !isTypename,
                let other = view.selection.fields.first(where: { $0.responseName == field.responseName }),
                other.selection?.path == field.selection?.path
            else { return nil }
            let otherType = self.type(other, in: view.selection)
            let target = "\(storage)?.\(SwiftName.escaped(other.name))"
            if isOptional(otherType) == isOptional(type) { return .assignment(target, .text("self.\(name)")) }
            return .branch("if let value = self.\(name)", [.assignment(target, .text("value"))])
        }
        return Property(
            name: field.name, parameter: field.name, type: type, value: value,
            comment: isTypename ? nil : field.description, reading: "\(call)(\"\(field.responseName)\")",
            writing: "\(writing)(\"\(field.responseName)\", self.\(name))", observer: observer)
    }

    private func isOptional(_ type: String) -> Bool { type.hasSuffix("?") }

    private func property(_ conditional: ConditionalModel) -> Property {
        Property(
            name: conditional.name, parameter: conditional.name, type: "\(conditional.path)?", value: "nil",
            reading: "fragment(\(SelectionShape.condition(conditional.typenames, isOnly: true)))",
            writing: "write(fragment: self.\(SwiftName.escaped(conditional.name)))")
    }

    private func property(_ deferral: DeferralModel, _ selection: SelectionModel) -> Property {
        let label = deferral.label.map { "\"\($0)\"" } ?? "nil"
        return Property(
            name: deferral.name, parameter: deferral.name, type: "\(name(of: deferral.selection, in: selection))?",
            value: "nil", isDeferred: true,
            reading: "deferred(label: \(label)\(SelectionShape.condition(deferral.typenames, isOnly: false)))",
            writing: "write(fragment: self.\(SwiftName.escaped(deferral.name)))")
    }

    private static func condition(_ typenames: [String]?, isOnly: Bool) -> String {
        guard let typenames else { return "" }
        let list = typenames.map { "\"\($0)\"" }.joined(separator: ", ")
        return "\(isOnly ? "" : ", ")isPossible: [\(list)].contains(self.typename)"
    }

    private func property(_ view: SelectionViewModel, _ storage: String, _ selection: SelectionModel) -> Property {
        let observer: [SwiftStatement] = view.selection.fields.compactMap { other in
            guard other.name != "typename",
                let field = selection.fields.first(where: { $0.responseName == other.responseName }),
                other.selection?.path == field.selection?.path
            else { return nil }
            return .assignment(
                "self.\(SwiftName.escaped(field.name))", .text("newValue.\(SwiftName.escaped(other.name))"))
        }
        return Property(
            name: storage, parameter: view.name, type: "\(view.selection.path.last)?", value: "nil", isStorage: true,
            words: view.selection.typenames.map { "`\($0)`" }.joined(separator: " or "),
            reading: "view(of: self.typename)", writing: "write(view: \(storage))",
            observer: observer.isEmpty ? [] : [.branch("if let newValue", observer)])
    }
}

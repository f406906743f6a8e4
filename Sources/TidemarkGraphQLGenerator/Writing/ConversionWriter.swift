import TidemarkGraphQLLanguage
import TidemarkModel

/// Writes the initializers that create a fragment's structures from the structures that contain its fields.
///
/// A selection that merges a fragment has all of its fields. Where the document selects more, the nested structures
/// differ. Each pair of structures gets one initializer, private to its file.
struct ConversionWriter {
    private struct Pair: Hashable {
        var source: TypePath
        var target: TypePath
    }

    private let models: [TypePath: SelectionModel]
    private let prefix: String
    /// The pairs in the order of their discovery. Bounded by the pairs of structures of one file.
    private var waiting: [Pair] = []
    private var seen: Set<Pair> = []

    /// Creates a writer.
    ///
    /// - Parameter prefix: The namespace followed by a dot, or empty.
    init(_ models: [TypePath: SelectionModel], prefix: String) {
        self.models = models
        self.prefix = prefix
    }

    /// Records the conversions that a structure and all nested in it need.
    mutating func add(_ selection: SelectionModel) {
        for spread in selection.spreads where spread.view == nil { need(selection.path, spread.path) }
        for nested in selection.nested { add(nested) }
    }

    private mutating func need(_ source: TypePath, _ target: TypePath) {
        let pair = Pair(source: source, target: target)
        if source != target, seen.insert(pair).inserted { waiting.append(pair) }
    }

    /// Returns the recorded conversions, and those that they need.
    ///
    /// - Complexity: O(pairs × fields).
    mutating func declarations() -> [SwiftDeclaration] {
        var declarations: [SwiftDeclaration] = []
        var next = 0
        while next < waiting.count {
            let pair = waiting[next]
            next += 1
            guard let source = models[pair.source], let target = models[pair.target] else { continue }
            let function = SwiftFunction(
                access: "fileprivate ", name: "init",
                parameters: [SwiftParameter(name: "_ value", type: prefix + pair.source.description)],
                body: body(source, target))
            declarations.append(
                .type(
                    SwiftTypeDeclaration(
                        keyword: "extension", name: prefix + pair.target.description, members: [.function(function)],
                        isLong: max(pair.target.description.utf8.count, pair.source.description.utf8.count)
                            + prefix.utf8.count > 100)))
        }
        return declarations
    }

    private mutating func body(_ source: SelectionModel, _ target: SelectionModel) -> [SwiftStatement] {
        var arguments: [String] = []
        for field in target.fields {
            guard let other = source.fields.first(where: { $0.responseName == field.responseName }) else { continue }
            arguments.append("\(SwiftName.label(field.name)): \(value(of: other, for: field))")
        }
        for conditional in target.conditionals {
            if let text = value(of: conditional, in: source) {
                arguments.append("\(SwiftName.label(conditional.name)): \(text)")
            }
        }
        var states: [SwiftStatement] = []
        for deferral in target.deferrals {
            guard let other = source.deferrals.first(where: { $0.place == deferral.place }) else {
                // The source spreads the same fragment without deferring it.
                let path = deferral.selection.path
                if source.spreads.contains(where: { $0.path == path && $0.view == nil }) {
                    need(source.path, path)
                    arguments.append("\(SwiftName.label(deferral.name)): \(prefix)\(path)(value)")
                }
                continue
            }
            let (from, to) = (other.selection.path, deferral.selection.path)
            if from != to { need(from, to) }
            let text = "value.$\(other.name)" + (from == to ? "" : ".map { \(made(to)) }")
            states.append(.assignment("self.$\(deferral.name)", .text(text)))
        }
        for view in target.views {
            if let text = value(of: view, in: source) {
                arguments.append("\(SwiftName.label(view.name)): \(text)")
            }
        }
        return [.expression(.call("self.init", arguments))] + states
    }

    private mutating func value(of source: FieldModel, for target: FieldModel) -> String {
        let text = "value.\(SwiftName.escaped(source.name))"
        guard let from = source.selection?.path, let to = target.selection?.path, from != to else { return text }
        need(from, to)
        let type = source.isConditional ? source.type.nullable : source.type
        return converted(text, type, to)
    }

    /// Returns an expression that creates a structure from `$0`. If the name of its type is long, the compiler infers
    /// it.
    private func made(_ target: TypePath, of text: String = "$0") -> String {
        let name = prefix + target.description
        return (name.utf8.count > 50 ? ".init" : name) + "(\(text))"
    }

    /// Returns an expression that converts a value of any nesting.
    private func converted(_ text: String, _ type: SchemaTypeReference, _ target: TypePath) -> String {
        switch type {
        case .nonNull(.list(let element)): "\(text).map { \(converted("$0", element, target)) }"
        case .nonNull: made(target, of: text)
        case .list, .named: "\(text).map { \(converted("$0", .nonNull(type), target)) }"
        }
    }

    private mutating func value(of conditional: ConditionalModel, in source: SelectionModel) -> String? {
        if let other = source.conditionals.first(where: { $0.path == conditional.path }) {
            return "value.\(SwiftName.escaped(other.name))"
        }
        guard source.spreads.contains(where: { $0.path == conditional.path && $0.view == nil }) else { return nil }
        need(source.path, conditional.path)
        return "\(prefix)\(conditional.path)(value)"
    }

    private mutating func value(of view: SelectionViewModel, in source: SelectionModel) -> String? {
        let target = view.selection.path
        let wanted = Set(view.selection.typenames)
        if Set(source.typenames).isSubset(of: wanted) {
            need(source.path, target)
            return made(target, of: "value")
        }
        let common = wanted.intersection(source.typenames)
        guard let other = source.views.first(where: { Set($0.selection.typenames) == common }) else { return nil }
        need(other.selection.path, target)
        return "value.\(SwiftName.escaped(other.name)).map { \(made(target)) }"
    }
}

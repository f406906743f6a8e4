import TidemarkGraphQL
import TidemarkModel

/// A selection set of the document that takes part in one place of the answer, and how it got there.
struct SelectionSource {
    var selections: [Selection]
    /// The type that the selections are on.
    var parent: SchemaTypeID
    /// Object types for which the selections hold.
    var types: Set<SchemaTypeID>
    /// `@include` or `@skip` with a variable stands around them.
    var isConditional = false
    /// The outermost fragment that spreads them; nil when they are written in place.
    var via: ByteString?
    /// The age that the operation gives the fields, in seconds.
    var operationAge: Int?
}

/// One field where the document names it.
struct FieldItem {
    var field: Field
    var parent: SchemaTypeID
    var types: Set<SchemaTypeID>
    var isConditional: Bool
    var via: ByteString?
    var operationAge: Int?
}

/// A fragment that is spread and merged.
struct SpreadItem {
    var name: ByteString
    var types: Set<SchemaTypeID>
}

/// A fragment that is not merged: deferred, or spread under a condition.
struct FragmentItem {
    /// The name of the fragment; nil for an inline one.
    var name: ByteString?
    var label: String?
    var place: SourcePlace
    /// The object types for which the place around it holds.
    var outerTypes: Set<SchemaTypeID>
    var source: SelectionSource
}

/// Everything that the selections of one place hold, with fragments inserted.
struct SelectionItems {
    /// The fields in the order of CollectFields, for any type.
    private(set) var fields: [FieldItem] = []
    private(set) var spreads: [SpreadItem] = []
    private(set) var deferrals: [FragmentItem] = []
    private(set) var conditionals: [FragmentItem] = []
    /// Conditions that do not hold for every type, in the order written, with the type that was named.
    private(set) var conditions: [(type: SchemaTypeID, types: Set<SchemaTypeID>)] = []

    private let schema: GraphQLSchema
    private let fragments: [ByteString: FragmentDefinition]

    /// - Complexity: O(selections with fragments inserted).
    init(
        _ sources: [SelectionSource], schema: GraphQLSchema, fragments: [ByteString: FragmentDefinition]
    ) {
        self.schema = schema
        self.fragments = fragments
        for source in sources { add(source) }
    }

    private mutating func add(_ source: SelectionSource) {
        for selection in source.selections {
            guard let inclusion = Inclusion(selection.directives) else { continue }
            switch selection {
            case .field(let field):
                fields.append(
                    FieldItem(
                        field: field, parent: source.parent, types: source.types,
                        isConditional: source.isConditional || inclusion == .conditional, via: source.via,
                        operationAge: source.operationAge))
            case .spread(let spread): add(spread, inclusion, source)
            case .inline(let fragment):
                var inner = narrowed(source, to: fragment.typeCondition?.text)
                inner.selections = fragment.selections
                if let deferral = Deferral(fragment.directives) {
                    deferrals.append(
                        FragmentItem(
                            name: nil, label: deferral.label, place: fragment.place, outerTypes: source.types,
                            source: inner))
                } else {
                    inner.isConditional = source.isConditional || inclusion == .conditional
                    add(inner)
                }
            }
        }
    }

    private mutating func add(_ spread: FragmentSpread, _ inclusion: Inclusion, _ source: SelectionSource) {
        guard let fragment = fragments[spread.name.text] else { return }
        var inner = narrowed(source, to: fragment.typeCondition.text)
        inner.selections = fragment.selections
        if let deferral = Deferral(spread.directives) {
            return deferrals.append(
                FragmentItem(
                    name: spread.name.text, label: deferral.label, place: spread.place, outerTypes: source.types,
                    source: inner))
        }
        if source.isConditional || inclusion == .conditional {
            return conditionals.append(
                FragmentItem(
                    name: spread.name.text, label: nil, place: spread.place, outerTypes: source.types, source: inner))
        }
        if source.via == nil { spreads.append(SpreadItem(name: spread.name.text, types: inner.types)) }
        inner.via = source.via ?? spread.name.text
        add(inner)
    }

    /// The source with a type condition applied.
    private mutating func narrowed(_ source: SelectionSource, to condition: ByteString?) -> SelectionSource {
        guard let condition, let id = schema.id(condition) else { return source }
        var inner = source
        inner.parent = id
        inner.types.formIntersection(schema[id].possibleTypes)
        if inner.types != source.types { conditions.append((id, inner.types)) }
        return inner
    }
}

/// `@include` and `@skip` of one selection, with literals decided.
enum Inclusion {
    case always, conditional

    /// - Returns: nil when a literal leaves the selection out.
    init?(_ directives: [Directive]) {
        var isConditional = false
        for directive in directives {
            guard directive.name.text == "include" || directive.name.text == "skip",
                let value = directive.arguments.first(where: { $0.name.text == "if" })?.value
            else { continue }
            switch value.kind {
            case .boolean(let holds): if holds == (directive.name.text == "skip") { return nil }
            default: isConditional = true
            }
        }
        self = isConditional ? .conditional : .always
    }
}

/// `@defer` of one fragment.
struct Deferral {
    var label: String?

    /// - Returns: nil without the directive, and with `if: false`.
    init?(_ directives: [Directive]) {
        guard let directive = directives.first(where: { $0.name.text == "defer" }) else { return nil }
        for argument in directive.arguments {
            switch (argument.name.text, argument.value.kind) {
            case ("if", .boolean(false)): return nil
            case ("label", .string(let text)): label = text.text.description
            default: break
            }
        }
    }
}

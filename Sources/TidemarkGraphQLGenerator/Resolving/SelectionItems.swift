import TidemarkGraphQLLanguage
import TidemarkModel

/// A selection set that contributes to one place of the response, and how it got there.
struct SelectionSource {
    var selections: [Selection]
    /// The type on which the selections are made.
    var parent: SchemaTypeID
    /// The object types to which the selections apply.
    var types: Set<SchemaTypeID>
    /// True if they are under `@include` or `@skip` with a variable.
    var isConditional = false
    /// The outermost fragment that contains them; nil if they are written in place.
    var via: ByteString?
    /// The maximum age that the operation sets for the fields, in seconds.
    var operationAge: Int?
}

/// A field at one place of the document.
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

/// A fragment that is not merged, because it is deferred or spread under a condition.
struct FragmentItem {
    /// The name of the fragment; nil for an inline fragment.
    var name: ByteString?
    var label: String?
    var place: SourcePlace
    /// The object types to which the enclosing place applies.
    var outerTypes: Set<SchemaTypeID>
    var source: SelectionSource
}

/// Everything in the selections of one place, with fragments inlined.
struct SelectionItems {
    /// The fields in the order of CollectFields, for any type.
    private(set) var fields: [FieldItem] = []
    private(set) var spreads: [SpreadItem] = []
    private(set) var deferrals: [FragmentItem] = []
    private(set) var conditionals: [FragmentItem] = []
    /// The type conditions that do not hold for every type, in their original order, with the type that was named.
    private(set) var conditions: [(type: SchemaTypeID, types: Set<SchemaTypeID>)] = []

    private let schema: GraphQLSchema
    private let fragments: [ByteString: FragmentDefinition]

    /// Collects the selections of one place.
    ///
    /// - Complexity: O(selections with fragments inlined).
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

    /// Returns the source with a type condition applied.
    private mutating func narrowed(_ source: SelectionSource, to condition: ByteString?) -> SelectionSource {
        guard let condition, let id = schema.id(condition) else { return source }
        var inner = source
        inner.parent = id
        inner.types.formIntersection(schema[id].possibleTypes)
        if inner.types != source.types { conditions.append((id, inner.types)) }
        return inner
    }
}

/// `@include` and `@skip` of a selection, with literals evaluated.
enum Inclusion {
    case always, conditional

    /// Evaluates the directives of a selection.
    ///
    /// - Returns: nil if a literal excludes the selection.
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

/// `@defer` of a fragment.
struct Deferral {
    var label: String?

    /// Reads the directive of a fragment.
    ///
    /// - Returns: nil without the directive, or with `if: false`.
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

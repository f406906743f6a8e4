import TidemarkGraphQLLanguage

/// One Swift structure: the fields that objects of a type have at one place of a document.
///
/// Every field whose type condition always holds is merged in, whichever fragment it comes from. Fields that only some
/// of the possible types have are in ``views``, and deferred fragments in ``deferrals``.
package struct SelectionModel: Hashable, Sendable {
    /// The names that lead to the structure.
    package var path: TypePath
    /// The type in the schema.
    package var typename: String
    /// The description of the type in the schema; nil if there is none.
    package var description: String?
    /// The object types that an object here can have, in the order of the schema.
    package var typenames: [String]
    /// The fields in the order of CollectFields.
    package var fields: [FieldModel] = []
    /// The views: one for each set of object types with further fields, in the order of the document.
    package var views: [SelectionViewModel] = []
    /// The fragments whose fields are all merged in.
    package var spreads: [SpreadModel] = []
    /// The deferred fragments.
    package var deferrals: [DeferralModel] = []
    /// The fragments under `@include` or `@skip`, which are not merged in.
    package var conditionals: [ConditionalModel] = []
    /// True for the object of an operation, or of a fragment on its type. It has no `__typename`.
    package var isRoot = false

    /// Creates a structure without fields.
    package init(path: TypePath, typename: String, typenames: [String]) {
        self.path = path
        self.typename = typename
        self.typenames = typenames
    }

    /// The structures nested in this one, in the order in which they are written.
    package var nested: [SelectionModel] {
        fields.compactMap { if case .own(let selection)? = $0.selection { selection } else { nil } }
            + views.map(\.selection)
            + deferrals.compactMap { if case .own(let selection) = $0.selection { selection } else { nil } }
    }
}

/// A field of a selection, which becomes one property.
package struct FieldModel: Hashable, Sendable {
    /// The response name of the field.
    package var responseName: String
    /// The name of the Swift property, without backticks.
    package var name: String
    /// The declared type.
    package var type: SchemaTypeReference
    /// The description of the field in the schema; nil if there is none.
    package var description: String?
    /// True if `@include` or `@skip` with a variable may leave the field out.
    package var isConditional: Bool
    /// How long the field stays fresh by the schema and the operation, in seconds; nil without a limit.
    package var maxAge: Int?
    /// The selection of an object; nil for a scalar or an enum.
    package var selection: SelectionReference?
}

/// The structure of a composite field or a deferred fragment.
package indirect enum SelectionReference: Hashable, Sendable {
    /// A structure of its own, nested in the one that has the field.
    case own(SelectionModel)
    /// A structure that is written elsewhere.
    case shared(TypePath)

    /// The names that lead to the structure.
    package var path: TypePath {
        switch self {
        case .own(let selection): selection.path
        case .shared(let path): path
        }
    }
}

/// The fields of an object that only some of the possible types have, such as `asDroid`.
package struct SelectionViewModel: Hashable, Sendable {
    /// The name of the Swift property.
    package var name: String
    /// The selection, including the fields that every possible type has.
    package var selection: SelectionModel
}

/// A fragment that a selection spreads, such as `fragments.heroDetails`.
package struct SpreadModel: Hashable, Sendable {
    /// The name of the Swift property.
    package var name: String
    package var path: TypePath
    /// The property of the view that spreads the fragment; nil if the selection itself does.
    package var view: String?
}

/// A deferred fragment of a selection.
package struct DeferralModel: Hashable, Sendable {
    /// The name of the Swift property.
    package var name: String
    /// The label of the `@defer` directive; nil if it has none.
    package var label: String?
    /// The place of the fragment in the documents. Each place has one deferral.
    package var place: SourcePlace
    /// The object types that satisfy its type condition; nil if all do.
    package var typenames: [String]?
    /// The structure of the fragment's fields.
    package var selection: SelectionReference
}

/// A fragment that a variable includes or excludes.
package struct ConditionalModel: Hashable, Sendable {
    /// The name of the Swift property.
    package var name: String
    package var path: TypePath
    package var typenames: [String]?
}

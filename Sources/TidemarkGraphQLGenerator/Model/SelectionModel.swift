import TidemarkGraphQL

/// The fields that objects of one type have at one place of a document: one Swift structure.
///
/// Every field whose type condition always holds is merged in, whichever fragment it comes from. Fields that only some
/// of the possible types have are in ``views``, deferred fragments in ``deferrals``.
package struct SelectionModel: Hashable, Sendable {
    package var path: TypePath
    /// The type of the schema.
    package var typename: String
    package var description: String?
    /// Object types that an object here can have, in the schema's order.
    package var typenames: [String]
    /// The fields in the order of CollectFields.
    package var fields: [FieldModel] = []
    /// One for each set of object types that has more fields, in the order of the document.
    package var views: [ViewModel] = []
    /// Fragments whose fields are all merged in.
    package var spreads: [SpreadModel] = []
    package var deferrals: [DeferralModel] = []
    /// Fragments under `@include` or `@skip`, which are not merged.
    package var conditionals: [ConditionalModel] = []
    /// The object of an operation, or of a fragment on such an object: it has no `__typename` of its own.
    package var isRoot = false

    package init(path: TypePath, typename: String, typenames: [String]) {
        self.path = path
        self.typename = typename
        self.typenames = typenames
    }

    /// The structures inside this one, in the order in which they are written.
    package var nested: [SelectionModel] {
        fields.compactMap { if case .own(let selection)? = $0.selection { selection } else { nil } }
            + views.map(\.selection)
            + deferrals.compactMap { if case .own(let selection) = $0.selection { selection } else { nil } }
    }
}

/// A field of a selection: one property.
package struct FieldModel: Hashable, Sendable {
    package var responseName: String
    /// The name of the Swift property, without backticks.
    package var name: String
    package var type: SchemaTypeReference
    package var description: String?
    /// `@include` or `@skip` with a variable may leave the field out.
    package var isConditional: Bool
    /// The age in seconds that the schema and the operation allow; nil without a limit.
    package var maxAge: Int?
    /// The selection of an object; nil for a scalar or an enum.
    package var selection: SelectionReference?
}

/// The structure that a composite field or a deferred fragment has.
package indirect enum SelectionReference: Hashable, Sendable {
    /// A structure of its own, nested in the one that has the field.
    case own(SelectionModel)
    /// A structure that is written elsewhere.
    case shared(TypePath)

    package var path: TypePath {
        switch self {
        case .own(let selection): selection.path
        case .shared(let path): path
        }
    }
}

/// The fields of an object that only some of the possible types have: `asDroid`.
package struct ViewModel: Hashable, Sendable {
    /// The name of the Swift property.
    package var name: String
    /// The selection with the fields that every possible type has.
    package var selection: SelectionModel
}

/// A fragment that a selection spreads: `fragments.heroDetails`.
package struct SpreadModel: Hashable, Sendable {
    /// The name of the Swift property.
    package var name: String
    package var path: TypePath
    /// The property of the view that spreads it; nil when the selection itself does.
    package var view: String?
}

/// A deferred fragment of a selection.
package struct DeferralModel: Hashable, Sendable {
    /// The name of the Swift property.
    package var name: String
    package var label: String?
    /// The place of the fragment in the documents: one deferral for each.
    package var place: SourcePlace
    /// The object types that its type condition allows; nil when it always holds.
    package var typenames: [String]?
    package var selection: SelectionReference
}

/// A fragment that a variable includes or leaves out.
package struct ConditionalModel: Hashable, Sendable {
    /// The name of the Swift property.
    package var name: String
    package var path: TypePath
    package var typenames: [String]?
}

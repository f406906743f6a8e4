/// The rules for executable documents. The raw value is the code that people and scripts see.
///
/// - Source: GraphQL, October 2021, section 5; Protocol/graphql.md, findings.
package enum DocumentRule: String, Hashable, Sendable, CaseIterable {
    /// The text is not UTF-8 or violates the grammar.
    case syntax
    /// The document has no operation.
    case noOperation = "no_operation"
    /// The request names no operation, and the document has several.
    case ambiguousOperation = "ambiguous_operation"

    // Section 5.2, operations.
    /// An operation without a name is not the only one.
    case unnamedOperation = "unnamed_operation"
    /// Two operations have the same name.
    case duplicateOperation = "duplicate_operation"
    /// The schema has no root type for this kind of operation.
    case missingRoot = "missing_root"
    /// A subscription selects several root fields, or one for introspection.
    case subscriptionRoot = "subscription_root"

    // Section 5.3, fields.
    /// The type does not have the field.
    case unknownField = "unknown_field"
    /// Two fields have the same response name and cannot be merged.
    case conflictingFields = "conflicting_fields"
    /// A field of a composite type has no selections.
    case missingSelection = "missing_selection"
    /// A scalar or an enum has selections.
    case unexpectedSelection = "unexpected_selection"

    // Section 5.4, arguments.
    /// The field or directive does not have the argument.
    case unknownArgument = "unknown_argument"
    /// An argument is given twice.
    case duplicateArgument = "duplicate_argument"
    /// A required argument is not given.
    case missingArgument = "missing_argument"

    // Section 5.5, fragments.
    /// Two fragments have the same name.
    case duplicateFragment = "duplicate_fragment"
    /// The schema does not have the type that a fragment or a variable names.
    case unknownType = "unknown_type"
    /// The type condition of a fragment is not a composite type.
    case fragmentOnLeaf = "fragment_on_leaf"
    /// No operation spreads the fragment.
    case unusedFragment = "unused_fragment"
    /// The document does not define the fragment that is spread.
    case unknownFragment = "unknown_fragment"
    /// A fragment is spread inside itself.
    case fragmentCycle = "fragment_cycle"
    /// No object at this place can satisfy the type condition of the fragment.
    case impossibleFragment = "impossible_fragment"

    // Section 5.6, values.
    /// A value does not have the type that its place requires.
    case badValue = "bad_value"
    /// The input type does not have the field.
    case unknownInputField = "unknown_input_field"
    /// A field of an input object is given twice.
    case duplicateInputField = "duplicate_input_field"
    /// A required field of an input object is not given.
    case missingInputField = "missing_input_field"

    // Section 5.7, directives.
    /// Neither GraphQL nor the schema defines the directive.
    case unknownDirective = "unknown_directive"
    /// The directive is not allowed at this place.
    case misplacedDirective = "misplaced_directive"
    /// A directive that is not repeatable is written twice at one place.
    case duplicateDirective = "duplicate_directive"

    // The proposal for incremental delivery.
    /// Two deferred fragments have the same label.
    case duplicateLabel = "duplicate_label"
    /// The label of a deferred fragment is a variable.
    case variableLabel = "variable_label"

    // Section 5.8, variables.
    /// An operation defines a variable twice.
    case duplicateVariable = "duplicate_variable"
    /// The type of a variable is not a scalar, an enum or an input type.
    case variableNotInput = "variable_not_input"
    /// An operation does not define a variable that it uses.
    case undefinedVariable = "undefined_variable"
    /// An operation does not use a variable that it defines.
    case unusedVariable = "unused_variable"
    /// The type of a variable does not fit the place where it is used.
    case variableMismatch = "variable_mismatch"
}

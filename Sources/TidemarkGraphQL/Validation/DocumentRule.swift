/// The rules that an executable document has to keep; the raw value is the code that people and scripts see.
///
/// - Source: GraphQL, October 2021, section 5; Protocol/graphql.md, findings.
package enum DocumentRule: String, Hashable, Sendable, CaseIterable {
    case syntax
    case noOperation = "no_operation"
    case ambiguousOperation = "ambiguous_operation"

    // Section 5.2, operations.
    case unnamedOperation = "unnamed_operation"
    case duplicateOperation = "duplicate_operation"
    case missingRoot = "missing_root"
    case subscriptionRoot = "subscription_root"

    // Section 5.3, fields.
    case unknownField = "unknown_field"
    case conflictingFields = "conflicting_fields"
    case missingSelection = "missing_selection"
    case unexpectedSelection = "unexpected_selection"

    // Section 5.4, arguments.
    case unknownArgument = "unknown_argument"
    case duplicateArgument = "duplicate_argument"
    case missingArgument = "missing_argument"

    // Section 5.5, fragments.
    case duplicateFragment = "duplicate_fragment"
    case unknownType = "unknown_type"
    case fragmentOnLeaf = "fragment_on_leaf"
    case unusedFragment = "unused_fragment"
    case unknownFragment = "unknown_fragment"
    case fragmentCycle = "fragment_cycle"
    case impossibleFragment = "impossible_fragment"

    // Section 5.6, values.
    case badValue = "bad_value"
    case unknownInputField = "unknown_input_field"
    case duplicateInputField = "duplicate_input_field"
    case missingInputField = "missing_input_field"

    // Section 5.7, directives.
    case unknownDirective = "unknown_directive"
    case misplacedDirective = "misplaced_directive"
    case duplicateDirective = "duplicate_directive"

    // The proposal for incremental delivery.
    case duplicateLabel = "duplicate_label"
    case variableLabel = "variable_label"

    // Section 5.8, variables.
    case duplicateVariable = "duplicate_variable"
    case variableNotInput = "variable_not_input"
    case undefinedVariable = "undefined_variable"
    case unusedVariable = "unused_variable"
    case variableMismatch = "variable_mismatch"
}

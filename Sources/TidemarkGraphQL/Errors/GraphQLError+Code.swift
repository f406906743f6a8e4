extension GraphQLError {
    /// The kinds of errors; the raw value is printed for people and scripts.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        // Errors in characters.
        case invalidUTF8 = "invalid_utf8"
        case unexpectedCharacter = "unexpected_character"
        case unterminatedString = "unterminated_string"
        case badEscape = "bad_escape"
        case badNumber = "bad_number"

        // Errors in the grammar.
        case unexpectedToken = "unexpected_token"
        case variableInConstant = "variable_in_constant"

        // Errors in size: ``DocumentLimits``.
        case documentTooLong = "document_too_long"
        case tooDeep = "too_deep"
        case tooManyDefinitions = "too_many_definitions"
        case tooManyMembers = "too_many_members"
        case nameTooLong = "name_too_long"

        // Errors in the types of a policy.
        case unknownType = "unknown_type"
        case duplicateType = "duplicate_type"
        case wrongKind = "wrong_kind"
        case duplicateField = "duplicate_field"
        case interfaceCycle = "interface_cycle"
        case tooManyInterfaces = "too_many_interfaces"

        // Errors in the directives of a policy.
        case misplacedDirective = "misplaced_directive"
        case duplicateDirective = "duplicate_directive"
        case emptyDirective = "empty_directive"
        case unknownArgument = "unknown_argument"
        case duplicateArgument = "duplicate_argument"
        case missingArgument = "missing_argument"
        case badArgument = "bad_argument"
        case negativeAge = "negative_age"
        case ageTooLarge = "age_too_large"
        case ageContradiction = "age_contradiction"
        case unknownField = "unknown_field"
        case interfaceConflict = "interface_conflict"
        case cascadeWithoutObject = "cascade_without_object"
    }
}

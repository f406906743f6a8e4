extension GraphQLError {
    /// The kinds of errors. The raw values are printed for people and scripts.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        // Characters.
        /// The document contains bytes that are not UTF-8.
        case invalidUTF8 = "invalid_utf8"
        /// A character is not allowed at its place.
        case unexpectedCharacter = "unexpected_character"
        /// A string has no end.
        case unterminatedString = "unterminated_string"
        /// A `\` does not begin a valid escape.
        case badEscape = "bad_escape"
        /// Digits do not form a number.
        case badNumber = "bad_number"

        // Grammar.
        /// The grammar expects something else.
        case unexpectedToken = "unexpected_token"
        /// A definition contains a variable, where only constants are allowed.
        case variableInConstant = "variable_in_constant"

        // Size; see ``DocumentLimits``.
        /// The document is larger than 16 MiB.
        case documentTooLong = "document_too_long"
        /// More than 64 brackets of a value or a type are open at once.
        case tooDeep = "too_deep"
        /// There are more than 100,000 definitions and extensions.
        case tooManyDefinitions = "too_many_definitions"
        /// There are more than 1,000,000 parts inside definitions, or fields including those from interfaces.
        case tooManyMembers = "too_many_members"
        /// A name is longer than 1,024 bytes.
        case nameTooLong = "name_too_long"

        // Types of a policy.
        /// A type is not defined.
        case unknownType = "unknown_type"
        /// A type is defined twice.
        case duplicateType = "duplicate_type"
        /// A type has a kind that is not allowed at its place.
        case wrongKind = "wrong_kind"
        /// A field is declared twice.
        case duplicateField = "duplicate_field"
        /// An interface implements itself, directly or through others.
        case interfaceCycle = "interface_cycle"
        /// A type implements more than 256 interfaces.
        case tooManyInterfaces = "too_many_interfaces"

        // Directives of a policy.
        /// A directive has no meaning at its place.
        case misplacedDirective = "misplaced_directive"
        /// A type or field has two rules.
        case duplicateDirective = "duplicate_directive"
        /// A directive sets nothing.
        case emptyDirective = "empty_directive"
        /// A directive or field does not have the argument.
        case unknownArgument = "unknown_argument"
        /// An argument is given twice.
        case duplicateArgument = "duplicate_argument"
        /// A required argument is missing.
        case missingArgument = "missing_argument"
        /// An argument has an invalid value.
        case badArgument = "bad_argument"
        /// `maxAge` is less than 0.
        case negativeAge = "negative_age"
        /// `maxAge` is more than 2147483647.
        case ageTooLarge = "age_too_large"
        /// `maxAge` and `inheritMaxAge: true` are given together.
        case ageContradiction = "age_contradiction"
        /// A directive names a field that the type does not declare.
        case unknownField = "unknown_field"
        /// Two interfaces of a type give it different rules.
        case interfaceConflict = "interface_conflict"
        /// `cascadeDeletion: true` is set on a type, or on a field that does not hold an object type.
        case cascadeWithoutObject = "cascade_without_object"
    }
}

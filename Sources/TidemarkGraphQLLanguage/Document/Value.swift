import TidemarkModel

/// A value after the colon of an argument, or after the `=` of a default.
package struct Value: Hashable, Sendable {
    /// The kind of the value, with its content.
    package var kind: Kind
    /// The place of the first character.
    package var place: SourcePlace

    package init(_ kind: Kind, at place: SourcePlace) {
        self.kind = kind
        self.place = place
    }
}

extension Value {
    /// The kinds of values. Numbers keep their original digits; the caller checks their range.
    package enum Kind: Hashable, Sendable {
        /// The name of a variable without its `$`; only in executable documents.
        case variable(ByteString)
        /// The digits of an integer, with their sign.
        case int(ByteString)
        /// The text of a number with a fraction or an exponent.
        case float(ByteString)
        /// A string or a block string.
        case string(StringValue)
        /// `true` or `false`.
        case boolean(Bool)
        /// `null`.
        case null
        /// The name of an enum value.
        case enumeration(ByteString)
        /// The elements of a list. Bounded by ``DocumentLimits/nestingDepthMax`` levels and
        /// ``DocumentLimits/memberCountMax`` elements.
        case list([Value])
        /// The fields of an object in their original order, including repeated names. Bounded like `list`.
        case object([NamedValue])
    }
}

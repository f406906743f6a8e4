import TidemarkModel

/// A value after the colon of an argument, or after the `=` of a default.
package struct Value: Hashable, Sendable {
    package var kind: Kind
    /// The place of the first character.
    package var place: SourcePlace

    package init(_ kind: Kind, at place: SourcePlace) {
        self.kind = kind
        self.place = place
    }
}

extension Value {
    /// The kinds of values. Numbers keep their digits as written; the caller checks their range.
    package enum Kind: Hashable, Sendable {
        /// The name of a variable without its `$`; only in executable documents.
        case variable(ByteString)
        case int(ByteString)
        case float(ByteString)
        case string(StringValue)
        case boolean(Bool)
        case null
        case enumeration(ByteString)
        /// The elements of a list. Bound: nesting, ``DocumentLimits/nestingDepthMax``; elements,
        /// ``DocumentLimits/memberCountMax``.
        case list([Value])
        /// The fields of an object in the order written, including repeated names. The bounds are those of `list`.
        case object([NamedValue])
    }
}

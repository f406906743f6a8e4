import TidemarkModel

/// What stands behind the colon of an argument, or behind the `=` of a default.
package struct Value: Hashable, Sendable {
    package var kind: Kind
    /// Of its first character.
    package var place: SourcePlace

    package init(_ kind: Kind, at place: SourcePlace) {
        self.kind = kind
        self.place = place
    }
}

extension Value {
    /// The kinds of values. Numbers keep the digits that were written: which of them fit is for who uses them.
    package enum Kind: Hashable, Sendable {
        /// The name without its `$`; only in executable documents.
        case variable(ByteString)
        case int(ByteString)
        case float(ByteString)
        case string(StringValue)
        case boolean(Bool)
        case null
        case enumeration(ByteString)
        /// Bound: nesting, ``DocumentLimits/nestingDepthMax``; elements, ``DocumentLimits/memberCountMax``.
        case list([Value])
        /// In the order written, repeated names included. Bounds as of `list`.
        case object([NamedValue])
    }
}

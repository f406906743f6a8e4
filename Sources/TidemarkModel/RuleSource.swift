/// Who gave a type or a field its rule.
package enum RuleSource: Hashable, Sendable {
    /// Nobody: there is no directive.
    case none
    /// A directive on itself.
    case own
    /// The interface of this name, whose directive it is.
    case interface(ByteString)
}

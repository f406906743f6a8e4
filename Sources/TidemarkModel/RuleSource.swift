/// Where the rule of a type or a field was set.
package enum RuleSource: Hashable, Sendable {
    /// Nowhere: there is no directive.
    case none
    /// A directive on the type or field itself.
    case own
    /// A directive of the interface with this name.
    case interface(ByteString)
}

/// The source of the rule of a type or a field.
package enum RuleSource: Hashable, Sendable {
    /// No source: there is no directive.
    case none
    /// A directive on the type or field itself.
    case own
    /// A directive of the interface with this name.
    case interface(ByteString)
}

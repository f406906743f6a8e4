/// The named limits of an executable document. Past one of them the document is refused with `limit_exceeded`.
///
/// - Source: Protocol/graphql.md, limits.
package struct ExecutableLimits: Hashable, Sendable {
    /// A whole document: 1 MiB.
    package var byteCountMax = 1 << 20
    /// Selections of all operations, each fragment counted wherever it is spread: 10,000. A fragment that nothing
    /// spreads is counted once.
    package var selectionCountMax = 10_000
    /// Selection sets inside one another, those of fragments included; lists and objects of a value: 64.
    package var nestingDepthMax = 64
    /// Pairs of fields that are compared to see whether they can merge: 1,000,000.
    package var fieldPairCountMax = 1_000_000
    /// Selections that are added to a document for sending: 100,000.
    package var additionCountMax = 100_000
    /// Findings that are listed: 100.
    package var findingCountMax = 100

    package init() {}

    /// The limits that the shared parser of tokens, values and types has.
    var documentLimits: DocumentLimits {
        var limits = DocumentLimits()
        limits.byteCountMax = byteCountMax
        limits.nestingDepthMax = nestingDepthMax
        return limits
    }
}

/// The limits of an executable document. A document beyond a limit is refused with `limit_exceeded`.
///
/// - Source: Protocol/graphql.md, limits.
package struct ExecutableLimits: Hashable, Sendable {
    /// The largest document: 1 MiB.
    package var byteCountMax = 1 << 20
    /// The largest number of selections in all operations: 10,000. A fragment counts wherever it is spread; one that is
    /// never spread counts once.
    package var selectionCountMax = 10_000
    /// How deeply selection sets may be nested, including those of fragments, and lists and objects in a value: 64.
    package var nestingDepthMax = 64
    /// The largest number of pairs of fields that are compared to find out whether they can be merged: 1,000,000.
    package var fieldPairCountMax = 1_000_000
    /// The largest number of selections that are added to a document for sending: 100,000.
    package var additionCountMax = 100_000
    /// The largest number of findings that are listed: 100.
    package var findingCountMax = 100

    /// Creates the default limits.
    package init() {}

    /// The limits for the parser of tokens, values and types, which is shared with type definitions.
    var documentLimits: DocumentLimits {
        var limits = DocumentLimits()
        limits.byteCountMax = byteCountMax
        limits.nestingDepthMax = nestingDepthMax
        return limits
    }
}

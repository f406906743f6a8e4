import TidemarkStore

/// The bounds of views, each with its default.
package struct ViewLimits: Hashable, Sendable {
    /// The largest rule as JSON text: 64 KiB.
    package var ruleByteCountMax = 64 << 10
    /// The most sources of a view, and of each include: 8, with `from` and the sources inside `exists` and `absent`. A
    /// row is identified by as many numbers, so a larger value counts as 8.
    package var sourceCountMax = ViewLimits.sourceCountCeiling
    /// The most sources that a row can have.
    package static let sourceCountCeiling = 8
    /// The deepest nesting of `exists` and `absent`: 4.
    package var checkDepthMax = 4
    /// The deepest nesting of includes: 4.
    package var includeDepthMax = 4
    /// The most includes of a view: 32.
    package var includeCountMax = 32
    /// The most predicates of a rule: 1,000. Each operator, `all`, `any` and `not` is one.
    package var predicateCountMax = MembershipParser.predicateCountMax
    /// The most rows of one result: 1,000,000. A larger result fails.
    package var rowCountMax = 1_000_000
    /// The most uses of all rules: 1,000,000. A further one is refused.
    package var useCountMax = 1_000_000
    /// The most open windows: 10,000. A further one is refused.
    package var windowCountMax = 10_000
    /// The most bytes that the views of one library may take; nil for half of the cache's memory limit. A view beyond
    /// them is refused.
    package var byteCountMax: Int?

    /// Creates the default bounds.
    package init() {}
}

/// The named limits of a document. Past one of them parsing ends with an error that names it.
///
/// - Source: Protocol/policy.md, limits.
package struct DocumentLimits: Hashable, Sendable {
    /// A whole document: 16 MiB.
    package var byteCountMax = 16 << 20
    /// Lists and objects open at once, of a value or of a type: 64.
    package var nestingDepthMax = 64
    /// Definitions and extensions: 100,000.
    package var definitionCountMax = 100_000
    /// Everything inside definitions, together: fields, arguments, directives, values, members, locations: 1,000,000.
    package var memberCountMax = 1_000_000
    /// A name: 1,024 bytes.
    package var nameByteCountMax = 1_024

    package init() {}
}

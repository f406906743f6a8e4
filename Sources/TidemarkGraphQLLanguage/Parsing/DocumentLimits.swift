/// The limits of a document. Parsing stops at a limit with an error that names it.
///
/// - Source: Protocol/policy.md, limits.
package struct DocumentLimits: Hashable, Sendable {
    /// The largest document: 16 MiB.
    package var byteCountMax = 16 << 20
    /// How many lists and objects may be open at once in a value or a type: 64.
    package var nestingDepthMax = 64
    /// The largest number of definitions and extensions: 100,000.
    package var definitionCountMax = 100_000
    /// The largest number of parts inside all definitions, such as fields, arguments, directives, values, members and
    /// locations: 1,000,000.
    package var memberCountMax = 1_000_000
    /// The longest name: 1,024 bytes.
    package var nameByteCountMax = 1_024

    /// Creates the default limits.
    package init() {}
}

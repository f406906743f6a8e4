/// The limits of a document. Parsing beyond a limit ends with an error that names it.
///
/// - Source: Protocol/policy.md, limits.
package struct DocumentLimits: Hashable, Sendable {
    /// The maximum size of a document: 16 MiB.
    package var byteCountMax = 16 << 20
    /// The maximum number of lists and objects that are open at once, in a value or a type: 64.
    package var nestingDepthMax = 64
    /// The maximum number of definitions and extensions: 100,000.
    package var definitionCountMax = 100_000
    /// The maximum number of parts inside all definitions: fields, arguments, directives, values, members and
    /// locations: 1,000,000.
    package var memberCountMax = 1_000_000
    /// The maximum size of a name: 1,024 bytes.
    package var nameByteCountMax = 1_024

    package init() {}
}

/// The identity of one query: its library, its method, and its input in canonical form.
///
/// - Source: Protocol/queries.md, identity.
public struct QueryKey: Hashable, Sendable {
    public let library: ByteString
    public let method: ByteString
    /// The input as canonical JSON: no white space, members sorted by the bytes of their names, numbers unchanged.
    public let input: ByteString

    /// - Parameter canonicalInput: Canonical JSON. `QueryKey.init(library:method:input:)` in the module `Tidemark`
    ///   makes a key from any JSON.
    package init(library: ByteString, method: ByteString, canonicalInput: ByteString) {
        self.library = library
        self.method = method
        input = canonicalInput
    }
}

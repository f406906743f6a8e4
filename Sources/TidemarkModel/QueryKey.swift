/// The identity of a query: its library, its method, and its input in canonical form.
///
/// ```swift
/// let key = try QueryKey(library: "", method: "photos.list", input: Array(#"{"b":1,"a":2}"#.utf8))
/// print(key.input)  // {"a":2,"b":1}
/// ```
///
/// - Source: Protocol/queries.md, identity.
public struct QueryKey: Hashable, Sendable {
    /// The library.
    public let library: ByteString
    /// The method, 1 … 1,024 bytes.
    public let method: ByteString
    /// The input as canonical JSON: no white space, members sorted by the bytes of their names, numbers unchanged.
    public let input: ByteString

    /// Makes a key of an input in canonical form. `QueryKey.init(library:method:input:)` of the module `Tidemark` takes
    /// any JSON.
    package init(library: ByteString, method: ByteString, canonicalInput: ByteString) {
        self.library = library
        self.method = method
        input = canonicalInput
    }
}

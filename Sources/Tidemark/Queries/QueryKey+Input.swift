import TidemarkModel

extension QueryKey {
    /// Makes the key of a query with any input.
    ///
    /// ```swift
    /// let key = try QueryKey(library: "", method: "photos.list", input: Array(#"{ "album": "7" }"#.utf8))
    /// print(key.input)  // {"album":"7"}
    /// ```
    ///
    /// - Parameters:
    ///   - library: The library of the query.
    ///   - method: The method, 1 … 1,024 bytes.
    ///   - input: JSON of at most 1 MiB, in any spelling; it is converted to canonical form.
    /// - Throws: ``CacheError`` `invalidParams`.
    /// - Complexity: O(input.count · nesting).
    public init(library: ByteString, method: ByteString, input: [UInt8]) throws(CacheError) {
        guard !method.bytes.isEmpty, method.bytes.count <= Params.textByteCountMax else {
            throw CacheError(
                .invalidParams,
                "method has \(method.bytes.count) bytes: pass a name of 1 to \(Params.textByteCountMax)")
        }
        self.init(library: library, method: method, canonicalInput: try CanonicalJSON.text(of: input, name: "input"))
    }
}

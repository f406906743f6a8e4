import TidemarkModel

extension MutationRequest {
    /// Makes a request that is sent until the server has answered, in the queue of the edit's library.
    ///
    /// ```swift
    /// var request = MutationRequest(method: "photos.rename", input: ["id": "1", "name": "Open sea"])
    /// request.key = "photo 1"
    /// ```
    ///
    /// - Parameter input: Copied as compact JSON; numbers stay as they are written.
    public init(method: String, input: JSONValue) {
        self.init(method: ByteString(method), compactInput: input.bytes)
    }

    /// - Throws: ``CacheError`` `.invalidParams` for a name that is empty or too long, or a place that is no JSON
    ///   Pointer.
    func check(limits: Limits) throws(CacheError) {
        for (name, text) in [("method", method), ("key", key ?? method)] {
            guard !text.bytes.isEmpty, text.bytes.count <= limits.idByteCountMax else {
                throw CacheError(
                    .invalidParams, "\(name) has \(text.bytes.count) bytes: pass 1 to \(limits.idByteCountMax)")
            }
        }
        for pointer in temporaryIDs where JSONPointer(pointer.description) == nil {
            throw CacheError(
                .invalidParams,
                "the place '\(pointer.excerpt(byteCount: 60))' is no JSON Pointer: pass one such as /id")
        }
    }
}

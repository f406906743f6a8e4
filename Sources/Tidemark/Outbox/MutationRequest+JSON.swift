import TidemarkJSON
import TidemarkModel

extension MutationRequest {
    /// Makes a request that the cache sends until the server has answered, in the queue of the edit's library.
    ///
    /// ```swift
    /// var request = MutationRequest(method: "photos.rename", input: ["id": "1", "name": "Open sea"])
    /// request.key = "photo 1"
    /// request.attemptCountMax = 10
    /// try await cache.optimistically(sending: request) { changes in
    ///     try changes.patch(type: "photo", id: "1", ["name": "Open sea"])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - method: The name of the method, 1 … 1,024 bytes.
    ///   - input: The input of the method. It is copied as compact JSON, with numbers as they are written.
    public init(method: String, input: JSONValue) {
        self.init(method: ByteString(method), compactInput: input.bytes)
    }

    /// - Throws: ``CacheError`` `.invalidParams` for a method or key that is empty or too long, or a place that is not
    ///   a JSON Pointer.
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

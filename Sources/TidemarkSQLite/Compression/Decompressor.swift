import TidemarkModel

/// Unpacks data of every codec that this build has. Owner: one thread at a time.
final class Decompressor {
    /// Created with the first data that needs it.
    private var deflate: DeflateDecompressor?
    #if TIDEMARK_ZSTD
        private let zstd: ZstdDecompressor
    #endif

    /// - Throws: ``SQLiteError`` when there is no memory.
    init() throws {
        #if TIDEMARK_ZSTD
            zstd = try ZstdDecompressor()
        #endif
    }

    /// Unpacks compressed data.
    ///
    /// - Parameters:
    ///   - codec: Any codec but `.raw`.
    ///   - target: The memory for the expected bytes. What was unpacked before damage stays there.
    ///   - dictionary: The dictionary that the data names; nil when it names none.
    /// - Returns: The fault, or nil when exactly the expected bytes were unpacked.
    func decompress(
        _ data: UnsafeRawBufferPointer, _ codec: PayloadCodec.Codec, into target: UnsafeMutableRawBufferPointer,
        dictionary: PayloadDictionary?
    ) -> PayloadError? {
        switch codec {
        case .raw:
            // No input reaches it: callers copy such data.
            preconditionFailure("data that is not compressed was given to a decompressor")
        case .deflate:
            do {
                let deflate = try self.deflate ?? DeflateDecompressor()
                self.deflate = deflate
                return deflate.decompress(data, into: target, dictionary: dictionary?.lastBytes)
            } catch {
                return .notDecodable
            }
        case .zstd, .zstdWithDictionary:
            #if TIDEMARK_ZSTD
                var form: OpaquePointer?
                if codec == .zstdWithDictionary {
                    form = dictionary?.decompressing()
                    guard form != nil else { return .unknownDictionary }
                }
                return zstd.decompress(data, into: target, dictionary: form)
            #else
                return .codecMissing
            #endif
        }
    }
}

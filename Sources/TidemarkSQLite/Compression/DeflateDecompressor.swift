import CZlib
import TidemarkModel

/// Unpacks raw deflate into as many bytes as are expected, and no more. Owner: one thread at a time.
final class DeflateDecompressor {
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// - Throws: ``SQLiteError`` when there is no memory for a stream, 40 KiB.
    init() throws {
        stream.initialize(to: z_stream())
        guard tm_inflate_raw_begin(stream) == Z_OK else {
            stream.deallocate()
            throw SQLiteError(code: 7, message: "no memory for zlib")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Unpacks data.
    ///
    /// - Parameters:
    ///   - target: The memory for the expected bytes. What was unpacked before damage stays there.
    ///   - dictionary: The bytes that the data was compressed with; nil for none.
    /// - Returns: The fault, or nil when exactly the expected bytes were unpacked.
    func decompress(
        _ data: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, dictionary: ArraySlice<UInt8>?
    ) -> PayloadError? {
        guard let count = UInt32(exactly: target.count), let dataCount = UInt32(exactly: data.count) else {
            return .tooLarge
        }
        guard inflateReset(stream) == Z_OK else { return .notDecodable }
        if let dictionary {
            let status = dictionary.withUnsafeBytes {
                inflateSetDictionary(stream, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32($0.count))
            }
            guard status == Z_OK else { return .notDecodable }
        }
        return withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { none in
            // zlib wants an address even for no bytes.
            let (start, source) = (target.baseAddress ?? none.baseAddress, data.baseAddress)
            stream.pointee.next_in = UnsafeMutablePointer(mutating: source?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = dataCount
            stream.pointee.next_out = start?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = count
            switch inflate(stream, Z_FINISH) {
            case Z_STREAM_END:
                return stream.pointee.avail_out == 0 && stream.pointee.avail_in == 0 ? nil : .lengthMismatch
            // There is more than was expected, or the data ends before its end.
            case Z_OK, Z_BUF_ERROR: return stream.pointee.avail_out == 0 ? .lengthMismatch : .notDecodable
            default: return .notDecodable
            }
        }
    }
}

import CZlib
import TidemarkModel

/// Compresses data as raw deflate (RFC 1951). Owner: one thread at a time.
final class DeflateCompressor {
    /// zlib's usual level. Measured with a dictionary on payloads of 430 bytes: level 1 takes nine tenths of the time
    /// and a fifth more bytes, because most of the time is spent on the dictionary.
    private static let level: Int32 = 6

    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// - Throws: ``SQLiteError`` when there is no memory for a stream, 260 KiB.
    init() throws {
        stream.initialize(to: z_stream())
        guard tm_deflate_raw_begin(stream, DeflateCompressor.level) == Z_OK else {
            stream.deallocate()
            throw SQLiteError(code: 7, message: "no memory for zlib")
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses data.
    ///
    /// - Parameter dictionary: Bytes that come before the data and are not written, at most 32 KiB; nil for none.
    /// - Returns: The number of bytes written; nil when they do not fit into `target`.
    func compress(
        _ content: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, dictionary: ArraySlice<UInt8>?
    ) -> Int? {
        guard let target = UInt32(exactly: target.count).map({ (target.baseAddress, $0) }),
            let contentCount = UInt32(exactly: content.count), deflateReset(stream) == Z_OK
        else { return nil }
        if let dictionary {
            let status = dictionary.withUnsafeBytes {
                deflateSetDictionary(stream, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32($0.count))
            }
            guard status == Z_OK else { return nil }
        }
        // zlib does not write to its input, whatever its type says.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: content.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = contentCount
        stream.pointee.next_out = target.0?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = target.1
        guard CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END else { return nil }
        return Int(target.1 - stream.pointee.avail_out)
    }
}

import CZlib
import HTTPTypes

#if TIDEMARK_ZSTD
    import CZstd
#endif

/// Decompresses one request body.
///
/// Output is produced in pieces of at most ``pieceByteCount``; the zstd window is at most 8 MiB.
final class Inflater {
    /// The `Content-Encoding` of a body.
    enum Coding: Hashable, Sendable {
        case identity, gzip, zstd

        /// Reads the coding from the values of `Content-Encoding`.
        ///
        /// - Throws: ``Refusal`` for an unknown coding, or more than one.
        init(_ fields: [String]) throws(Refusal) {
            switch fields.map({ $0.lowercased().trimmingSpaces() }) {
            case [], ["identity"]: self = .identity
            case ["gzip"], ["x-gzip"]: self = .gzip
            case ["zstd"] where Coding.hasZstd: self = .zstd
            default:
                let known = Coding.hasZstd ? "gzip or zstd: send one of them" : "gzip: send that"
                throw Refusal(.unsupportedCoding, "the Content-Encoding is not \(known)")
            }
        }

        /// True if the package was built with zstd.
        static var hasZstd: Bool {
            #if TIDEMARK_ZSTD
                true
            #else
                false
            #endif
        }
    }

    private enum Stream {
        case identity
        case gzip(UnsafeMutablePointer<z_stream>)
        #if TIDEMARK_ZSTD
            case zstd(OpaquePointer)
        #endif
    }

    static let pieceByteCount = 64 << 10
    private static let windowLogMax: Int32 = 23

    private let stream: Stream
    /// True while a compressed stream has begun and not ended.
    private(set) var isInside = false

    /// Starts decoding a body.
    ///
    /// - Throws: ``Refusal`` when memory cannot be allocated.
    init(_ coding: Coding) throws(Refusal) {
        switch coding {
        case .identity: stream = .identity
        case .gzip:
            let created = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
            created.initialize(to: z_stream())
            guard tm_inflate_begin(created) == Z_OK else {
                created.deallocate()
                throw Refusal(.overloaded, "there is no memory to decompress the body: try again later")
            }
            stream = .gzip(created)
        case .zstd:
            #if TIDEMARK_ZSTD
                guard let created = ZSTD_createDStream() else {
                    throw Refusal(.overloaded, "there is no memory to decompress the body: try again later")
                }
                ZSTD_DCtx_setParameter(created, ZSTD_d_windowLogMax, Inflater.windowLogMax)
                stream = .zstd(created)
            #else
                // No input reaches it: ``Coding`` refuses zstd in such a build.
                preconditionFailure("this build does not have zstd")
            #endif
        }
    }

    deinit {
        switch stream {
        case .identity: break
        case .gzip(let stream):
            inflateEnd(stream)
            stream.deallocate()
        #if TIDEMARK_ZSTD
            case .zstd(let stream): ZSTD_freeDStream(stream)
        #endif
        }
    }

    /// True if the body is not compressed.
    var isIdentity: Bool {
        if case .identity = stream { return true }
        return false
    }

    /// Decompresses bytes, piece by piece.
    ///
    /// - Parameter give: Receives the pieces in order.
    /// - Throws: ``Refusal`` when the bytes do not match the coding; earlier pieces were already delivered.
    func append(_ bytes: [UInt8], _ give: ([UInt8]) async -> Void) async throws(Refusal) {
        switch stream {
        case .identity: await give(bytes)
        case .gzip(let stream): try await inflate(bytes, stream, give)
        #if TIDEMARK_ZSTD
            case .zstd(let stream): try await decompress(bytes, stream, give)
        #endif
        }
    }

    private func inflate(
        _ bytes: [UInt8], _ stream: UnsafeMutablePointer<z_stream>, _ give: ([UInt8]) async -> Void
    ) async throws(Refusal) {
        var offset = 0
        while offset < bytes.count {
            // Another gzip member may follow the end of one.
            if !isInside { inflateReset(stream) }
            isInside = true
            let (piece, used, status) = Inflater.step(bytes, offset, stream)
            offset += used
            if !piece.isEmpty { await give(piece) }
            switch status {
            case Z_STREAM_END: isInside = false
            case Z_OK: break
            // The output has room, so the error means that more input is needed.
            case Z_BUF_ERROR where used == 0 && piece.isEmpty: return
            case Z_BUF_ERROR: break
            default: throw Inflater.broken("gzip")
            }
        }
        // Flush output that did not fit into the last piece.
        while isInside {
            let (piece, _, status) = Inflater.step([], 0, stream)
            if !piece.isEmpty { await give(piece) }
            if status == Z_STREAM_END { isInside = false }
            guard status == Z_OK, !piece.isEmpty else { return }
        }
    }

    private static func step(
        _ bytes: [UInt8], _ offset: Int, _ stream: UnsafeMutablePointer<z_stream>
    ) -> (piece: [UInt8], used: Int, status: Int32) {
        var input = bytes
        var status: Int32 = 0
        var used = 0
        let piece = [UInt8](unsafeUninitializedCapacity: pieceByteCount) { buffer, count in
            input.withUnsafeMutableBufferPointer { input in
                stream.pointee.next_in = input.baseAddress.map { $0 + offset }
                stream.pointee.avail_in = UInt32(input.count - offset)
                stream.pointee.next_out = buffer.baseAddress
                stream.pointee.avail_out = UInt32(buffer.count)
                status = CZlib.inflate(stream, Z_NO_FLUSH)
                used = input.count - offset - Int(stream.pointee.avail_in)
                count = buffer.count - Int(stream.pointee.avail_out)
            }
        }
        return (piece, used, status)
    }

    #if TIDEMARK_ZSTD
        private func decompress(
            _ bytes: [UInt8], _ stream: OpaquePointer, _ give: ([UInt8]) async -> Void
        ) async throws(Refusal) {
            var offset = 0
            var hasMore = true
            while offset < bytes.count || hasMore {
                let (piece, used, hint) = Inflater.step(bytes, offset, stream)
                guard ZSTD_isError(hint) == 0 else { throw Inflater.broken("zstd") }
                offset += used
                isInside = hint != 0
                hasMore = piece.count == Inflater.pieceByteCount
                if !piece.isEmpty { await give(piece) }
            }
        }

        private static func step(
            _ bytes: [UInt8], _ offset: Int, _ stream: OpaquePointer
        ) -> (piece: [UInt8], used: Int, hint: Int) {
            var hint = 0
            var used = 0
            let piece = [UInt8](unsafeUninitializedCapacity: pieceByteCount) { buffer, count in
                bytes.withUnsafeBytes { bytes in
                    var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: offset)
                    var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
                    hint = ZSTD_decompressStream(stream, &output, &input)
                    used = input.pos - offset
                    count = output.pos
                }
            }
            return (piece, used, hint)
        }
    #endif

    private static func broken(_ name: String) -> Refusal {
        Refusal(.badRequest, "the body is not \(name), or is damaged: what came before is stored")
    }
}

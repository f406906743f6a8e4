import CZlib
import Synchronization

/// Packs one response as gzip.
final class GzipWriter: StreamPacker {
    /// The state of zlib.
    ///
    /// Sendable because it is behind a lock, which is held for each call.
    private struct State: @unchecked Sendable {
        // Only used under the lock of its owner, who alone has the pointer and frees it.
        let stream: UnsafeMutablePointer<z_stream>
    }

    private let state: Mutex<State>

    /// Creates a writer; nil if there is no memory for it.
    init?() {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard tm_gzip_begin(stream) == Z_OK else {
            stream.deallocate()
            return nil
        }
        state = Mutex(State(stream: stream))
    }

    deinit {
        state.withLock { state in
            deflateEnd(state.stream)
            state.stream.deallocate()
        }
    }

    /// Returns the packed form of bytes.
    ///
    /// - Parameter isEnd: True to end the stream behind them.
    func packed(_ bytes: [UInt8], isEnd: Bool) -> [UInt8] {
        if bytes.isEmpty, !isEnd { return [] }
        return state.withLock { state in
            var packed: [UInt8] = []
            var input = bytes
            input.withUnsafeMutableBufferPointer { input in
                state.stream.pointee.next_in = input.baseAddress
                state.stream.pointee.avail_in = UInt32(input.count)
                repeat {
                    let piece = [UInt8](unsafeUninitializedCapacity: GzipWriter.pieceByteCount) { piece, count in
                        state.stream.pointee.next_out = piece.baseAddress
                        state.stream.pointee.avail_out = UInt32(GzipWriter.pieceByteCount)
                        let status = deflate(state.stream, isEnd ? Z_FINISH : Z_SYNC_FLUSH)
                        precondition(status != Z_STREAM_ERROR, "zlib refused its own state")
                        count = GzipWriter.pieceByteCount - Int(state.stream.pointee.avail_out)
                    }
                    packed += piece
                } while state.stream.pointee.avail_out == 0
                state.stream.pointee.next_in = nil
            }
            return packed
        }
    }

    private static let pieceByteCount = 16 << 10
}

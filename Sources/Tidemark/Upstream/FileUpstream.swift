import TidemarkModel
import TidemarkWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An upstream over an NDJSON log: a file that only grows, with one event a line and its libraries in any order.
///
/// ```swift
/// let upstream = FileUpstream(path: "complete.ndjson")
/// guard upstream.isReadable else { return print("cannot read \(upstream.path)") }
/// let answer = try await upstream.events(since: EventSequence(7), of: "home")
/// print(String(decoding: answer.lines, as: UTF8.self))
/// ```
///
/// Pass it as `upstream` when a cache is opened. The first request reads the whole log and remembers which sequences of
/// which library each block has. Later requests read only the blocks that they need, and the bytes that were added
/// since.
///
/// - Source: Protocol/sequencing.md, upstreams.
public actor FileUpstream: Upstream {
    /// A run of whole lines in the file.
    private struct Block {
        var offset: Int64
        var byteCount: Int
        /// The lowest and highest sequence of each library in the block.
        var ranges: [ByteString: ClosedRange<Int64>]
    }

    /// A request, to find out whether another one can bring more.
    private struct Question: Hashable {
        var library: ByteString
        var sequence: EventSequence
    }

    /// The path of the log.
    public nonisolated let path: String
    private let limits: Limits
    private let defaultLibrary: ByteString
    /// The index of the log, with one block for each 256 KiB.
    private var blocks: [Block] = []
    private var indexedByteCount: Int64 = 0
    /// For each library, the last request that found nothing, and the size of the log then.
    private var emptyAt: [ByteString: (sequence: EventSequence, byteCount: Int64)] = [:]

    /// How many bytes of the log are read at once.
    private static let chunkByteCount = 256 << 10
    /// The approximate size at which a response ends, in bytes; the cache asks again for the rest.
    private static let answerByteCountMax = 4 << 20

    /// Makes an upstream over a log. The file is opened for each request, and need not exist before.
    ///
    /// - Parameters:
    ///   - path: The path of the log.
    ///   - defaultLibrary: The library of events that name none.
    ///   - limits: The bounds of lines; use those of the cache.
    public init(path: String, defaultLibrary: ByteString = "", limits: Limits = Limits()) {
        self.path = path
        self.defaultLibrary = defaultLibrary
        self.limits = limits
    }

    /// True if the log can be opened now, for an early message to the user.
    public nonisolated var isReadable: Bool { access(path, R_OK) == 0 }

    /// Returns the events of a library from a sequence on, about 4 MiB at a time; empty when the log has none.
    ///
    /// - Throws: ``UpstreamError`` when the log cannot be read. Final when the same request found nothing before and
    ///   the log has not grown since.
    public func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamResponse {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw UpstreamError("cannot open \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        try index(descriptor)
        var lines: [UInt8] = []
        for block in blocks {
            guard let range = block.ranges[library], range.upperBound >= sequence.rawValue else { continue }
            let batches = try decode(try read(descriptor, at: block.offset, byteCount: block.byteCount))
            for batch in batches { append(batch, since: sequence, of: library, to: &lines) }
            if lines.count >= FileUpstream.answerByteCountMax { break }
        }
        if lines.isEmpty {
            if let earlier = emptyAt[library], earlier.sequence == sequence, earlier.byteCount == indexedByteCount {
                throw UpstreamError("\(path) has no event of \(library) from \(sequence.rawValue) on", isFinal: true)
            }
            emptyAt[library] = (sequence, indexedByteCount)
        }
        return UpstreamResponse(lines: lines)
    }

    /// Indexes the bytes that were added to the log since the last request.
    private func index(_ descriptor: Int32) throws(UpstreamError) {
        var pending: [UInt8] = []
        while true {
            let offset = indexedByteCount + Int64(pending.count)
            let chunk = try read(descriptor, at: offset, byteCount: FileUpstream.chunkByteCount)
            if chunk.isEmpty { break }
            pending += chunk
            guard let lastLineEnd = pending.lastIndex(of: UInt8(ascii: "\n")) else { continue }
            try append(Array(pending[...lastLineEnd]))
            pending.removeFirst(lastLineEnd + 1)
        }
        // A last line without an LF may still be growing. It counts once it has its LF, or if it decodes already.
        if !pending.isEmpty, try isWhole(pending) { try append(pending) }
    }

    private func isWhole(_ line: [UInt8]) throws(UpstreamError) -> Bool {
        try decode(line).allSatisfy { batch in batch.events.allSatisfy { $0.kind != .unusable } }
    }

    private func append(_ bytes: [UInt8]) throws(UpstreamError) {
        var block = Block(offset: indexedByteCount, byteCount: bytes.count, ranges: [:])
        for batch in try decode(bytes) {
            batch.withBytes { text in
                for event in batch.events {
                    guard let sequence = event.sequence?.rawValue else { continue }
                    let library = event.library.isAbsent ? defaultLibrary : ByteString(text[event.library])
                    let range = block.ranges[library] ?? sequence...sequence
                    block.ranges[library] = min(range.lowerBound, sequence)...max(range.upperBound, sequence)
                }
            }
        }
        blocks.append(block)
        indexedByteCount += Int64(bytes.count)
    }

    private func append(
        _ batch: EventBatch, since sequence: EventSequence, of library: ByteString, to lines: inout [UInt8]
    ) {
        batch.withBytes { text in
            for event in batch.events {
                guard let own = event.sequence, own >= sequence,
                    (event.library.isAbsent ? defaultLibrary : ByteString(text[event.library])) == library
                else { continue }
                let span = batch.lines[Int(event.line)]
                lines += batch.block[Int(span.offset)..<Int(span.offset + span.count)]
                lines.append(UInt8(ascii: "\n"))
            }
        }
    }

    private func decode(_ bytes: [UInt8]) throws(UpstreamError) -> [EventBatch] {
        do throws(WireError) {
            return try EventDecoder.batches(of: bytes, limits: limits)
        } catch {
            throw UpstreamError("no memory to read \(bytes.count) bytes of \(path)")
        }
    }

    private func read(
        _ descriptor: Int32, at offset: Int64, byteCount: Int
    ) throws(UpstreamError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            while count < byteCount {
                let result = pread(
                    descriptor, buffer.baseAddress.map { $0 + count }, byteCount - count, off_t(offset) + off_t(count))
                if result < 0 {
                    if errno == EINTR { continue }
                    failure = errno
                    break
                }
                if result == 0 { break }
                count += result
            }
        }
        guard failure == 0 else { throw UpstreamError("cannot read \(path): \(String(cString: strerror(failure)))") }
        return bytes
    }
}

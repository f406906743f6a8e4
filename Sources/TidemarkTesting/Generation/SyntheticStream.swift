import TidemarkModel

/// Makes event lines by the million: one seed, one stream, byte for byte the same on every machine.
///
/// ```swift
/// var settings = SyntheticSettings()
/// settings.entityCount = 200_000
/// settings.updatesPerEntity = 4
/// var stream = SyntheticStream(settings)
/// while let chunk = stream.nextChunk() { consume(chunk.stream) }
/// ```
///
/// Entities resemble files of a library: names, paths, dates, a content hash. They compress about as well as real ones,
/// about three to one with a trained dictionary, because ids and hashes do not compress at all. The memory is that of a
/// chunk and of the delayed lines; it does not depend on the length of the stream.
public struct SyntheticStream {
    /// A number of whole lines.
    public struct Chunk: Sendable {
        /// The lines that arrive, with their faults.
        public var stream: [UInt8]
        /// The clean log of the same events; empty unless the caller asked for it.
        public var log: [UInt8]
    }

    /// The number of bytes after which a chunk ends, with the first line past it.
    public static let chunkByteCount = 1 << 20

    /// The counts of everything made so far.
    public private(set) var counts = SyntheticCounts()
    private let settings: SyntheticSettings
    private var log: SyntheticLog
    private var faults: SyntheticFaults
    private var isFinished = false

    /// - Parameter settings: Settings whose ``SyntheticSettings/problem`` is nil.
    public init(_ settings: SyntheticSettings) {
        precondition(settings.problem == nil, settings.problem ?? "")
        self.settings = settings
        log = SyntheticLog(settings)
        faults = SyntheticFaults(settings)
    }

    /// Makes the next lines, about ``chunkByteCount`` bytes of them.
    ///
    /// - Parameter includingLog: Whether to return the clean log too; this costs a copy.
    /// - Returns: nil at the end of the stream.
    public mutating func nextChunk(includingLog: Bool = false) -> Chunk? {
        guard !isFinished else { return nil }
        var chunk = Chunk(stream: [], log: [])
        chunk.stream.reserveCapacity(SyntheticStream.chunkByteCount + 4_096)
        var line: [UInt8] = []
        while chunk.stream.count < SyntheticStream.chunkByteCount, chunk.log.count < SyntheticStream.chunkByteCount {
            line.removeAll(keepingCapacity: true)
            guard let position = log.next(into: &line, counts: &counts) else {
                finish(&chunk.stream)
                break
            }
            faults.pass(line[...], at: position, to: &chunk.stream, &counts)
            if includingLog { chunk.log.append(contentsOf: line) }
            if settings.heartbeatInterval > 0, counts.events % settings.heartbeatInterval == 0 {
                appendHeartbeat(of: position.library, to: &chunk.stream)
            }
        }
        counts.bytes += chunk.stream.count
        return chunk
    }

    /// The key of entity `index` in a cache that read the stream.
    ///
    /// - Parameter index: Below ``SyntheticSettings/entityCount``.
    public func key(ofEntity index: Int) -> EntityKey {
        precondition(index >= 0 && index < settings.entityCount, "there is no entity \(index)")
        return log.key(of: index)
    }

    private mutating func finish(_ stream: inout [UInt8]) {
        isFinished = true
        faults.finish(to: &stream, &counts)
        guard settings.heartbeatInterval > 0 else { return }
        for library in 0..<settings.libraryCount where log.sequences[library] > 0 {
            appendHeartbeat(of: library, to: &stream)
        }
    }

    private mutating func appendHeartbeat(of library: Int, to stream: inout [UInt8]) {
        log.appendLibrary(library, into: &stream)
        stream.append(",\"event\":{\"Heartbeat\":{\"last_sequence\":")
        stream.append(decimal: log.sequences[library])
        stream.append("}}}\n")
        counts.heartbeats += 1
        counts.lines += 1
    }
}

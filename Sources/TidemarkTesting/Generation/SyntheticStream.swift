import TidemarkModel

/// Generates event lines by the million. One seed gives one stream, byte for byte the same on every machine.
///
/// ```swift
/// var settings = SyntheticSettings()
/// settings.entityCount = 200_000
/// settings.updatesPerEntity = 4
/// var stream = SyntheticStream(settings)
/// while let chunk = stream.nextChunk() { try await cache.ingest(chunk.stream) }
/// print(stream.counts.events, await cache.counts().applied)
/// ```
///
/// The entities resemble files of a library, with names, paths, dates and a content hash. They compress about as well
/// as real ones, about three to one with a trained dictionary, because ids and hashes do not compress at all. The
/// generator's memory is that of a chunk and of the delayed lines, whatever the length of the stream.
public struct SyntheticStream {
    /// A number of whole lines.
    public struct Chunk: Sendable {
        /// The lines that arrive, with their faults.
        public var stream: [UInt8]
        /// The clean log of the same events; empty unless the caller asked for it.
        public var log: [UInt8]
    }

    /// The size at which a chunk ends, after its current line: 1 MiB.
    public static let chunkByteCount = 1 << 20

    /// The counts of everything that was generated so far.
    public private(set) var counts = SyntheticCounts()
    private let settings: SyntheticSettings
    private var log: SyntheticLog
    private var faults: SyntheticFaults
    private var isFinished = false

    /// Makes a stream.
    ///
    /// - Precondition: ``SyntheticSettings/problem`` is nil.
    public init(_ settings: SyntheticSettings) {
        precondition(settings.problem == nil, settings.problem ?? "")
        self.settings = settings
        log = SyntheticLog(settings)
        faults = SyntheticFaults(settings)
    }

    /// Generates the next lines, about ``chunkByteCount`` bytes.
    ///
    /// - Parameter includingLog: Whether to return the clean log too, which costs a copy.
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

    /// Returns the key of an entity in a cache that has read the stream.
    ///
    /// - Parameter index: The index of the entity, below ``SyntheticSettings/entityCount``.
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

import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// Reads a recording from its first line to its last.
///
/// ```swift
/// let reader = try RecordingReader("session.rec")
/// while let entry = try reader.next() {
///     print(entry.number, entry.at, entry.step.name)
/// }
/// print(reader.endReason ?? "the recording process was killed")
/// ```
///
/// Use a reader from one task at a time. An incomplete last line ends the recording, and ``tornLine`` reports it. Any
/// other line that cannot be used throws an error with its place.
package final class RecordingReader {
    /// One step of a recording, with its place in the file.
    package struct Entry: Sendable {
        /// The number of the entry in this file, from 1.
        package var number: Int64
        /// The number of the line in the file, from 1.
        package var line: Int64
        /// The offset of the line's first byte.
        package var offset: Int64
        /// What changed the cache.
        package var step: RecordedStep
        /// The time of the step in milliseconds since 1970.
        package var at: Int64
        /// The recorded outcome as JSON; empty for a plain stream.
        package var outcome: [UInt8]
    }

    /// The first line: the configuration with which the recording was made.
    package let setup: RecordingSetup
    /// The database with which the recording began, read so far; empty unless ``RecordingSetup/base-swift.property`` is
    /// `included`.
    package private(set) var base: [UInt8] = []
    /// Why the recording ended; nil before the end is read, and when the recording process was killed.
    package private(set) var endReason: String?
    /// The error for an incomplete last line; nil before it is read, and when the last line is complete.
    package private(set) var tornLine: RecordingError?
    /// The offset of the first entry; 0 when there is none.
    package private(set) var firstEntryOffset: Int64 = 0
    private let file: LineFile
    private let decoder: EntryDecoder
    private var batch: EventBatch?
    private var nextLine = 0
    private var lastNumber: Int64 = 0
    private var pending: Entry?

    /// The limits for the lines of a recording, each of which may contain many lines of input, or a result with all its
    /// resources.
    private static var limits: Limits {
        var limits = Limits()
        limits.lineByteCountMax = 1 << 30
        limits.nestingDepthMax = 1_024
        return limits
    }

    /// Returns true if a file begins like a recording.
    ///
    /// - Throws: ``RecordingError`` `notFound` or `inputOutput`.
    package static func isRecording(_ path: String) throws(RecordingError) -> Bool {
        var limits = limits
        // 64 MiB are enough for a first line; a file with a longer one is not a recording.
        limits.lineByteCountMax = 64 << 20
        guard let batch = try LineFile(path, limits: limits).next() else { return false }
        return batch.text(of: 0).starts(with: Array(#"{"recording":"#.utf8))
    }

    /// Opens a recording, and reads its first line and the included database.
    ///
    /// - Parameter path: The path of the recording.
    /// - Throws: ``RecordingError``.
    package init(_ path: String) throws(RecordingError) {
        file = try LineFile(path, limits: RecordingReader.limits)
        guard let first = try file.next() else {
            throw RecordingError(.badLine, "the recording is empty", line: 1, offset: 0)
        }
        let value = try RecordingReader.value(first, 0)
        do throws(CacheError) {
            setup = try RecordingSetup(value)
        } catch {
            throw RecordingError(.badLine, error.message, line: 1, offset: 0)
        }
        do throws(WireError) {
            decoder = try EntryDecoder(limits: setup.limits, defaultLibrary: setup.defaultLibrary)
        } catch {
            throw RecordingError(.inputOutput, "no memory to read \(path)")
        }
        batch = first
        nextLine = 1
        pending = try readEntry()
    }

    /// Returns the next entry; nil at the end.
    ///
    /// - Throws: ``RecordingError``, with the place of a line that cannot be used.
    package func next() throws(RecordingError) -> Entry? {
        if let pending {
            self.pending = nil
            return pending
        }
        return try readEntry()
    }

    private func readEntry() throws(RecordingError) -> Entry? {
        while tornLine == nil, endReason == nil {
            if batch == nil || nextLine >= batch?.lines.count ?? 0 {
                batch = try file.next()
                nextLine = 0
            }
            guard let batch else { return nil }
            let index = nextLine
            nextLine += 1
            if batch.isBlank(index) { continue }
            let line = batch.firstLine + Int64(index)
            let offset = batch.firstOffset + Int64(batch.lines[index].offset)
            do throws(RecordingError) {
                let value = try RecordingReader.value(batch, index)
                switch try decode(value, line: line, offset: offset) {
                case .base(let part):
                    base += part
                case .end(let reason):
                    endReason = reason
                case .entry(let step, let at, let outcome):
                    lastNumber += 1
                    if lastNumber == 1 { firstEntryOffset = offset }
                    return Entry(number: lastNumber, line: line, offset: offset, step: step, at: at, outcome: outcome)
                }
            } catch {
                guard error.code == .badLine, try isLast(index, of: batch) else { throw error }
                tornLine = RecordingError(
                    .torn, "the last line is incomplete: its writer was ended", line: line, offset: offset)
            }
        }
        return nil
    }

    /// Returns true if an unusable line is the last one and has no line end.
    private func isLast(_ index: Int, of batch: EventBatch) throws(RecordingError) -> Bool {
        guard index == batch.lines.count - 1, !file.endsWithLineEnd else { return false }
        return try file.next() == nil
    }

    private func decode(_ value: JSONSlice, line: Int64, offset: Int64) throws(RecordingError) -> RecordingLine {
        do throws(CacheError) {
            return try decoder.line(value)
        } catch {
            throw RecordingError(.badLine, error.message, line: line, offset: offset)
        }
    }

    private static func value(_ batch: EventBatch, _ index: Int) throws(RecordingError) -> JSONSlice {
        let event = batch.events.first { $0.line == UInt32(index) }
        switch event?.reason {
        case .notJSON, .invalidUTF8, .tooLong, .tooDeep:
            throw RecordingError(
                .badLine, "the line cannot be read (\(event?.reason?.code ?? ""))",
                line: batch.firstLine + Int64(index),
                offset: batch.firstOffset + Int64(batch.lines[index].offset))
        default: return JSONSlice(validated: batch.text(of: index))
        }
    }
}

import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Reads a plain file of event lines as steps, like a recording without outcomes.
///
/// Use a reader from one task at a time.
package final class StreamStepReader {
    private let file: LineFile
    private var batch: EventBatch?
    private var nextEvent = 0
    private var lastNumber: Int64 = 0
    private var isAtEnd = false

    /// The time of every step, since event lines have no times.
    private static let instant: Int64 = 0

    /// Opens a file of event lines.
    ///
    /// - Throws: ``RecordingError`` `notFound` or `inputOutput`.
    package init(_ path: String, limits: Limits) throws(RecordingError) {
        file = try LineFile(path, limits: limits)
    }

    /// Returns true if one of the first 10,000 lines of a file is an event or a control line.
    ///
    /// - Throws: ``RecordingError`` `notFound` or `inputOutput`.
    package static func isStream(_ path: String, limits: Limits) throws(RecordingError) -> Bool {
        let file = try LineFile(path, limits: limits)
        var lineCount = 0
        while lineCount < lookedAtLineCountMax, let batch = try file.next() {
            if batch.controlCount > 0 || batch.events.contains(where: { $0.kind != .unusable }) { return true }
            lineCount += batch.lines.count
        }
        return false
    }

    /// The lines that are searched for an event before the file is refused. Searching stops after the block that
    /// reaches it.
    private static let lookedAtLineCountMax = 10_000

    /// Returns the next event as a step, with the lines after it that contain no event; nil at the end.
    ///
    /// The last step gives up missing sequences, as `ingest` does at the end of its input.
    ///
    /// - Throws: ``RecordingError`` `inputOutput`.
    package func next() throws(RecordingError) -> RecordingReader.Entry? {
        while !isAtEnd {
            if let batch, nextEvent < max(1, batch.events.count) {
                let events = batch.events.isEmpty ? 0..<0 : nextEvent..<nextEvent + 1
                nextEvent += 1
                let first = batch.lines(of: events).lowerBound
                return entry(
                    .lines(batch, events: events), line: batch.firstLine + Int64(first),
                    offset: batch.lines.isEmpty
                        ? batch.firstOffset : batch.firstOffset + Int64(batch.lines[first].offset))
            }
            batch = try file.next()
            nextEvent = 0
            if batch == nil {
                isAtEnd = true
                return entry(.gaps(.none), line: 0, offset: file.byteCount)
            }
        }
        return nil
    }

    private func entry(_ step: RecordedStep, line: Int64, offset: Int64) -> RecordingReader.Entry {
        lastNumber += 1
        return RecordingReader.Entry(
            number: lastNumber, line: line, offset: offset, step: step, at: StreamStepReader.instant, outcome: [])
    }
}

import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// Reads a plain stream of event lines as if it were a recording without outcomes.
///
/// A reader must be used by one task at a time.
package final class StreamStepReader {
    private let file: LineFile
    private var batch: EventBatch?
    private var nextEvent = 0
    private var lastNumber: Int64 = 0
    private var isAtEnd = false

    /// The time of every step, because a stream has no times.
    private static let instant: Int64 = 0

    /// - Throws: ``RecordingError``.
    package init(_ path: String, limits: Limits) throws(RecordingError) {
        file = try LineFile(path, limits: limits)
    }

    /// Tells whether one of the first lines of a file is an event, or a control line.
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

    /// The number of lines that are searched for an event before the file is refused.
    private static let lookedAtLineCountMax = 10_000

    /// Returns the next event with its line, and the lines after it that contain no event. After the last event, it
    /// returns a step that gives up missing numbers, as an ingest does at the end of its input.
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

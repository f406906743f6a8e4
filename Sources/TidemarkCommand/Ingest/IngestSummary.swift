import TidemarkModel
import TidemarkJSON

/// The results of a finished ingest.
struct IngestSummary: Sendable {
    var counts = EventCounts()
    /// How many entities all libraries have after the run.
    var entityCount: Int64 = 0
    /// All known libraries, sorted by id.
    var libraries: [LibraryStatus] = []
    /// The time from the first read to the last commit, in milliseconds.
    var milliseconds: Int64 = 0
    var databaseByteCount: Int64 = 0
    /// True if a signal ended the ingest before the end of its input.
    var isInterrupted = false

    var hasBadLines: Bool { counts.quarantined + counts.membersQuarantined > 0 }

    var eventsPerSecond: Int64 { counts.events * 1_000 / max(1, milliseconds) }

    /// The summary as one line of JSON.
    ///
    /// - Source: Protocol/schema/summary.schema.json.
    var json: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.counts(counts)
            line.member("entities", entityCount)
            line.libraries(libraries)
            line.member("seconds", thousandths: milliseconds)
            line.member("events_per_second", eventsPerSecond)
            line.member("db_bytes", databaseByteCount)
            if isInterrupted { line.member("interrupted", true) }
        }
        return line.bytes
    }

    /// Prints the summary for people.
    func write(to output: Output) throws(Failure) {
        let style = output.style
        let duration = HumanText.duration(milliseconds: milliseconds)
        try output.writeLine(
            style.paint("\(HumanText.count(counts.lines, "line")) in \(duration)", .bold)
                + style.paint(", \(HumanText.count(eventsPerSecond)) events/s", .dim)
                + (isInterrupted ? style.paint(", interrupted", .yellow) : ""))
        try output.writeLine(
            "\(HumanText.count(counts.applied)) applied, \(HumanText.count(counts.duplicate)) duplicate, "
                + "\(HumanText.count(counts.ignored)) ignored, "
                + style.paint("\(HumanText.count(counts.quarantined)) quarantined", hasBadLines ? .yellow : .dim)
                + " (and \(HumanText.count(counts.membersQuarantined, "batch member")))")
        if counts.reconciled > 0 {
            try output.writeLine("\(HumanText.count(counts.reconciled)) from the upstream")
        }
        if counts.late > 0 {
            try output.writeLine("\(HumanText.count(counts.late)) late, after they had been lost")
        }
        let entities = HumanText.count(entityCount, "entity", "entities")
        try output.writeLine("\(entities) in \(HumanText.byteCount(databaseByteCount)) on disk")
        if !libraries.isEmpty { try LibraryListing.write(Array(libraries.prefix(20)), to: output) }
        if libraries.count > 20 {
            try output.writeLine("and \(HumanText.count(libraries.count - 20)) more: tidemark gaps lists them all")
        }
    }
}

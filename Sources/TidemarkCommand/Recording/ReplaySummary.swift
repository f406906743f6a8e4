import TidemarkModel
import TidemarkRecording
import TidemarkSQLite
import TidemarkJSON

/// The results of a replay.
struct ReplaySummary {
    var path: String
    var isRecording: Bool
    var droppedCount: Int64
    var entryCount: Int64
    /// How many lines were quarantined, including those in the base.
    var quarantinedCount: Int64
    var last: RecordingReader.Entry?
    /// The sequence to replay to; nil for the end.
    var goal: EventSequence?
    var endReason: String?
    var tornLine: RecordingError?
    var divergence: Replayer.Divergence?
    var libraries: [LibraryStatus]
    var entityCount: Int64
    var digest: EntityDigest

    /// The summary as one line of JSON.
    ///
    /// - Source: Protocol/schema/replay.schema.json.
    var json: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("source", Optional(ByteString(isRecording ? "recording" : "stream")))
            line.member("dropped", droppedCount)
            line.member("steps", entryCount)
            line.member("quarantined", quarantinedCount)
            line.member("last_line", json: (last?.line).map { Array(String($0).utf8) })
            line.member("at", json: isRecording ? (last?.at).map { Array(String($0).utf8) } : nil)
            line.member("to_sequence", goal)
            line.member("ended", endReason.map { ByteString($0) })
            line.member("torn", tornLine.map { ByteString($0.place) })
            line.name("divergence")
            if let divergence { line.divergence(divergence) } else { line.value(json: Array("null".utf8)) }
            line.libraries(libraries)
            line.member("entities", entityCount)
            line.member("digest", Optional(ByteString(digest.description)))
        }
        return line.bytes
    }

    func write(to output: Output) throws(Failure) {
        let style = output.style
        var text = HumanText.count(entryCount, "step") + " replayed"
        if droppedCount > 0 { text += ", after \(HumanText.count(droppedCount)) dropped ones" }
        if let last, isRecording { text += ", until \(HumanText.timestamp(milliseconds: last.at))" }
        try output.writeLine(style.paint(text, .bold))
        if quarantinedCount > 0 {
            let count = HumanText.count(quarantinedCount, "line")
            let advice = "keep the database with --db; tidemark quarantine list then gives the reasons"
            try output.writeLine(style.paint("\(count) could not be used; \(advice)", .yellow))
        }
        if let endReason { try output.writeLine("the recording ends: \(Printable.text(endReason))") }
        if isRecording, divergence == nil {
            try output.writeLine(style.paint("every step had the recorded outcome", .green))
        }
        if let divergence {
            try output.writeLine(
                style.paint("step \(divergence.number) (\(divergence.step)) had another outcome", .red))
            try output.writeLine("  recorded \(Printable.text(divergence.recorded))")
            try output.writeLine("  now      \(Printable.text(divergence.replayed))")
        }
        try output.writeLine("\(HumanText.count(entityCount, "entity", "entities")), digest \(digest.description)")
        if !libraries.isEmpty { try LibraryListing.write(Array(libraries.prefix(20)), to: output) }
    }
}

extension JSONLine {
    fileprivate mutating func divergence(_ divergence: Replayer.Divergence) {
        object { line in
            line.member("step", divergence.number)
            line.member("line", divergence.line)
            line.member("name", Optional(divergence.step))
            line.member("recorded", json: Optional(divergence.recorded))
            line.member("replayed", json: Optional(divergence.replayed))
        }
    }
}

import TidemarkModel

/// Where a running ingest stands: what the engine tells after each block of input and after each commit.
struct IngestProgress: Sendable {
    var counts = EventCounts()
    /// Events that wait for a missing one.
    var heldCount: Int64 = 0
    /// Lines that are durable, with all lines before them.
    var durableLineCount: Int64 = 0
    /// By library, what is durable of its log; those without a cursor are left out.
    var durableCursors: [(library: ByteString, sequence: EventSequence)] = []

    /// `{"ack":{"lines":n,"libraries":{"<id>":sequence}}}`.
    ///
    /// - Source: contract section 9.
    var acknowledgement: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.name("ack")
            line.object { line in
                line.member("lines", durableLineCount)
                line.name("libraries")
                line.object { line in
                    for cursor in durableCursors { line.member(cursor.library, cursor.sequence) }
                }
            }
        }
        return line.bytes
    }
}

import TidemarkModel

/// The numbers of an upstream's answer, as its lines name them.
struct AnswerScan {
    /// The numbers of lines that cannot be used.
    var bad: Set<EventSequence> = []
    /// The numbers in `bad` that are of the library's current log for certain: the line names its epoch, or the log
    /// never had an epoch.
    var proving: Set<EventSequence> = []
    /// The highest number of a line that can be used; nil when there is none.
    var last: EventSequence?
    /// Whether some line is of another log.
    var isForeign = false

    /// Returns how far the upstream's answer proves that a number which did not come does not exist; nil when it proves
    /// nothing.
    ///
    /// The proof ends before the first unusable line, because that number does exist. There is none when the
    /// upstream's log has begun anew, because its numbers are not this log's. The proof never reaches past `witness`.
    ///
    /// - Parameter cursor: Lines at or below it were known before.
    func covered(
        through covered: EventSequence?, from cursor: EventSequence?, witness: EventSequence
    ) -> EventSequence? {
        guard let covered, !isForeign else { return nil }
        let firstBad = bad.filter { $0 > cursor ?? .beforeFirst }.min()
        return min(min(covered, witness), firstBad?.predecessor ?? covered)
    }
}

extension CacheState {
    /// Calls `body` with each usable event of an answer that is of a library's current log.
    ///
    /// Events of other libraries, events without a sequence and resets are skipped.
    mutating func forEachEvent(
        of batch: EventBatch, answering library: LibraryIndex, _ scan: inout AnswerScan,
        _ body: (inout CacheState, EventView) -> Void
    ) {
        let ownName = libraries.name(of: library)
        batch.withBytes { bytes in
            batch.members.withUnsafeBufferPointer { members in
                for event in batch.events where event.kind != .reset && event.kind != .message {
                    guard let sequence = event.sequence else { continue }
                    let view = EventView(
                        event: event, members: members, bytes: bytes, source: .upstream,
                        offset: batch.firstOffset + Int64(batch.lines[Int(event.line)].offset),
                        byteCount: Int(batch.lines[Int(event.line)].count),
                        answerOffset: Int(batch.lines[Int(event.line)].offset))
                    let name = view.string(event.library) ?? configuration.defaultLibrary
                    guard name == ownName else { continue }
                    // A log file also holds what came before the log began anew; such a line is no answer.
                    if let epoch = epoch(of: view, in: library), epoch != libraries[library].gate.epoch ?? epoch {
                        scan.isForeign = true
                        continue
                    }
                    if event.kind == .unusable, batch.origin != .log {
                        scan.bad.insert(sequence)
                        let isCertain = !event.epoch.isAbsent || libraries[library].gate.epoch == nil
                        if isCertain { scan.proving.insert(sequence) }
                    } else {
                        scan.last = max(scan.last ?? sequence, sequence)
                        body(&self, view)
                    }
                }
            }
        }
    }
}

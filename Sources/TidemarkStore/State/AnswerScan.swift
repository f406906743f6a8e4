import TidemarkModel

/// The numbers of an upstream's answer, as its lines name them.
struct AnswerScan {
    /// Numbers of lines that cannot be used.
    var bad: Set<EventSequence> = []
    /// The numbers among them that are of the library's current log for certain: the line names its epoch, or the log never
    /// had one.
    var proving: Set<EventSequence> = []
    /// The highest number of a line that can be used; nil when there is none.
    var last: EventSequence?
    /// Some line is of another log.
    var isForeign = false

    /// How far the upstream's word counts that a number which did not come does not exist.
    ///
    /// Not from an unusable line on, which does exist; not at all where the upstream's log has begun anew, as its numbers are not
    /// this log's; never past `witness`.
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
    /// Lends each usable event of an answer that is of a library's current log.
    ///
    /// Events of other libraries, those without a sequence and resets are passed over.
    mutating func forEachEvent(
        of batch: EventBatch, answering library: LibraryIndex, _ scan: inout AnswerScan,
        _ body: (inout CacheState, EventView) -> Void
    ) {
        let ownName = libraryNames.names[Int(library)]
        batch.withBytes { bytes in
            batch.members.withUnsafeBufferPointer { members in
                for event in batch.events where event.kind != .reset && event.kind != .message {
                    guard let sequence = event.sequence else { continue }
                    let view = EventView(
                        event: event, members: members, bytes: bytes, source: .upstream,
                        offset: batch.firstOffset + Int64(batch.lines[Int(event.line)].offset),
                        byteCount: Int(batch.lines[Int(event.line)].count))
                    let name = view.string(event.library) ?? configuration.defaultLibrary
                    guard name == ownName else { continue }
                    // A log file also holds what came before the log began anew; that is no answer.
                    if let epoch = epoch(of: view, in: library), epoch != libraries[Int(library)].gate.epoch ?? epoch {
                        scan.isForeign = true
                        continue
                    }
                    if event.kind == .unusable {
                        scan.bad.insert(sequence)
                        let isCertain = !event.epoch.isAbsent || libraries[Int(library)].gate.epoch == nil
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

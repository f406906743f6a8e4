import TidemarkModel

/// The sequences that the lines of an upstream's response name.
struct ResponseScan {
    /// The sequences of unusable lines.
    var bad: Set<EventSequence> = []
    /// The sequences in `bad` that certainly belong to the library's current log: the line names its epoch, or the log
    /// never had one.
    var proving: Set<EventSequence> = []
    /// The highest sequence of a usable line; nil if there is none.
    var last: EventSequence?
    /// True if some line belongs to another log.
    var isForeign = false

    /// Returns up to which sequence the response proves that sequences without a line do not exist; nil if it proves
    /// nothing.
    ///
    /// The proof ends before the first unusable line, whose sequence does exist. There is no proof if the upstream's
    /// log was replaced, because its sequences belong to another log. The proof never reaches past `witness`.
    ///
    /// - Parameters:
    ///   - covered: The upstream's `covered_through`; nil if it reports none.
    ///   - cursor: Lines at or below it were known before.
    ///   - witness: The highest sequence that the log is known to reach.
    func covered(
        through covered: EventSequence?, from cursor: EventSequence?, witness: EventSequence
    ) -> EventSequence? {
        guard let covered, !isForeign else { return nil }
        let firstBad = bad.filter { $0 > cursor ?? .beforeFirst }.min()
        return min(min(covered, witness), firstBad?.predecessor ?? covered)
    }
}

extension CacheState {
    /// Calls `body` for each usable event of a response that belongs to a library's current log.
    ///
    /// Events of other libraries, events without a sequence and resets are skipped.
    mutating func forEachEvent(
        of batch: EventBatch, answering library: LibraryIndex, _ scan: inout ResponseScan,
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
                    // A log file also has lines from before the log was replaced, which are not part of the response.
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

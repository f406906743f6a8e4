import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTesting
import TidemarkWire

/// A cache state driven without an engine: it takes streams, returns exports and summaries, and gets the answers to its
/// upstream requests immediately.
package struct StateFixture: ~Copyable {
    /// The state.
    package private(set) var state: CacheState
    private let limits: Limits
    /// The log that is read whenever there is a gap; empty for none.
    private let upstream: [UInt8]
    /// The lines of the log that name a sequence, with their byte ranges.
    private let upstreamLines: [(sequence: Int64, bytes: Range<Int>)]
    private let chunks: SeededGenerator
    private var now: Int64 = 1_000_000
    /// The records quarantined so far; complete after ``endOfInput()``.
    package private(set) var quarantine: [QuarantineRecord] = []
    private var countsBefore: EventCounts

    /// Creates a state.
    ///
    /// - Parameters:
    ///   - upstream: A log with the missing events; nil for none.
    ///   - seed: Decides where chunks are cut; also seeds the state.
    ///   - recovered: What an earlier run left.
    package init(
        limits: Limits = Limits(), defaultLibrary: ByteString = "", typeAliases: [ByteString: ByteString] = [:],
        upstream: [UInt8]? = nil, seed: UInt64 = 1, recovered: RecoveredState = RecoveredState()
    ) {
        self.limits = limits
        let decoder = ReferenceDecoder(configuration: ReferenceConfiguration())
        self.upstream = upstream ?? []
        upstreamLines = ReferenceFraming.lines(of: self.upstream).compactMap { line in
            let bytes = Int(line.place.offset)..<Int(line.place.offset) + line.bytes.count
            return switch decoder.decode(line.bytes) {
            case .event(let event): event.sequence.map { ($0, bytes) }
            case .rejected(let rejection): rejection.sequence.map { ($0, bytes) }
            default: nil
            }
        }
        chunks = SeededGenerator(seed: seed)
        countsBefore = recovered.counts
        state = CacheState(
            configuration: CacheStateConfiguration(
                limits: limits, defaultLibrary: defaultLibrary, typeAliases: typeAliases,
                hasUpstream: upstream != nil),
            recovered: recovered, seed: seed)
    }

    /// Feeds a whole stream in chunks of random sizes. All structures check themselves after every batch.
    ///
    /// - Throws: ``TidemarkWire/WireError``.
    package mutating func ingest(_ stream: [UInt8]) throws {
        var framer = LineFramer(limits: limits)
        let decoder = try EventDecoder(limits: limits)
        var random = chunks
        var rest = stream[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(1 + random.below(4_000))
            rest = rest.dropFirst(chunk.count)
            chunk.withUnsafeBytes { framer.append($0) }
            for block in framer.takeBlocks() { try apply(try decoder.decode(block)) }
        }
        framer.finish()
        for block in framer.takeBlocks() { try apply(try decoder.decode(block)) }
    }

    private mutating func apply(_ batch: EventBatch) throws {
        now += 1
        state.apply(batch, at: now)
        try follow(state.expireGaps(at: now, patience: .endless))
        state.entities.checkInvariants()
    }

    /// Ends every wait: gaps are filled from the upstream, or declared lost.
    ///
    /// - Throws: ``TidemarkWire/WireError``.
    package mutating func endOfInput() throws {
        while state.isWatching { try follow(state.expireGaps(at: now, patience: .none)) }
        let flush = state.takeFlush()
        quarantine += flush.quarantine
    }

    private mutating func follow(_ requests: [ReconcileRequest]) throws {
        for request in requests {
            switch request {
            case .ask(let library, let sequence, let attempt):
                var framer = LineFramer(limits: limits)
                log(from: sequence).withUnsafeBytes { framer.append($0) }
                framer.finish()
                let decoder = try EventDecoder(limits: limits)
                let answer = try framer.takeBlocks().map { try decoder.decode($0) }
                let before = state.status(of: library).cursor
                var next = state.applyAnswer(
                    answer, coveredThrough: nil, to: library, attempt: attempt, random: 0, at: now)
                if state.status(of: library).cursor == before || sequence.rawValue < 0 {
                    // The log does not change: a sequence that it does not contain now will never arrive.
                    if case .wait(_, let attempt, _)? = next.first {
                        next = state.resumeReconcile(of: library, attempt: attempt, at: now)
                        if case .ask(_, _, let attempt)? = next.first {
                            next = state.failReconcile(
                                of: library, attempt: attempt, isFinal: true, random: 0, at: now)
                        }
                    }
                }
                try follow(next)
            case .wait(let library, let attempt, _):
                try follow(state.resumeReconcile(of: library, attempt: attempt, at: now))
            }
        }
    }

    /// Returns the upstream's log with spaces in place of the lines below a sequence, so that the other lines keep
    /// their offsets.
    private func log(from sequence: EventSequence) -> [UInt8] {
        var log = upstream
        log.withUnsafeMutableBytes { log in
            for line in upstreamLines where line.sequence < sequence.rawValue {
                UnsafeMutableRawBufferPointer(rebasing: log[line.bytes]).initializeMemory(
                    as: UInt8.self, repeating: 0x20)
            }
        }
        return log
    }

    /// Returns the lines that `tidemark export` prints for this state.
    package func exportLines() -> [String] {
        var lines: [(key: EntityKey, text: String)] = []
        state.forEachEntity { key, payload, stamp in
            let sequence = stamp.sequence.map { "\($0.rawValue)" } ?? "null"
            lines.append(
                (
                    key,
                    "{\"library_id\":\(quoted(key.library)),\"resource_type\":\(quoted(key.type)),\"id\":\(quoted(key.id)),"
                        + "\"resource\":\(String(decoding: payload, as: UTF8.self)),\"sequence\":\(sequence)}"
                ))
        }
        return lines.sorted { $0.key < $1.key }.map(\.text)
    }

    private func quoted(_ text: ByteString) -> String {
        String(decoding: ReferenceJSON.string(ReferenceString(text.bytes)).written, as: UTF8.self)
    }

    /// Returns the summary of this run, in the format of ``ReferenceSummary/line``.
    package func summaryLine() -> String {
        let counts = state.counts
        let before = countsBefore
        let libraries = state.statuses.sorted { $0.library < $1.library }.map { status in
            let lost = status.lost.map { "[\($0.first.rawValue),\($0.last.rawValue)]" }.joined(separator: ",")
            let sequence = status.cursor.map { "\($0.rawValue)" } ?? "null"
            return "\(quoted(status.library)):{\"epoch\":\(quoted(status.epoch)),\"sequence\":\(sequence),"
                + "\"state\":\"\(status.phase.rawValue)\",\"lost\":[\(lost)]}"
        }
        return "{\"lines\":\(counts.lines - before.lines),\"events\":{\"applied\":\(counts.applied - before.applied),"
            + "\"duplicate\":\(counts.duplicate - before.duplicate),\"ignored\":\(counts.ignored - before.ignored),"
            + "\"quarantined\":\(counts.quarantined - before.quarantined),\"held\":\(counts.held - before.held + Int64(state.openUnitEventCount))},"
            + "\"members_quarantined\":\(counts.membersQuarantined - before.membersQuarantined),"
            + "\"reconciled\":\(counts.reconciled - before.reconciled),\"late\":\(counts.late - before.late),\"blank\":\(counts.blank - before.blank),"
            + "\"control\":\(counts.control - before.control),\"messages\":\(counts.messages - before.messages),"
            + "\"entities\":\(state.entityCount),\"libraries\":{\(libraries.joined(separator: ","))}}"
    }
}

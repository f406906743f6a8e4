import TidemarkModel
import TidemarkStore
import TidemarkWire

/// One library and its real machine, driven input by input: no engine, no clock, and an upstream whose answers the test
/// gives.
final class SequencingFixture {
    private var state: CacheState
    private var framer: LineFramer
    private let decoder: EventDecoder
    private let limits: Limits
    private(set) var now: Int64 = 1_000
    private var countsBefore = EventCounts()
    private var entitiesBefore: Set<String> = []
    /// The machine's requests to the engine since ``begin()``.
    private var requests: [ReconcileRequest] = []

    init(hasUpstream: Bool, limits: Limits = Limits()) throws {
        self.limits = limits
        framer = LineFramer(limits: limits)
        decoder = try EventDecoder(limits: limits)
        state = CacheState(
            configuration: CacheStateConfiguration(limits: limits, hasUpstream: hasUpstream),
            recovered: RecoveredState(), seed: 1)
    }

    // MARK: Inputs

    func pass(milliseconds: Int64) { now += milliseconds }

    /// Ends the reorder window, as its timer does.
    func windowExpires(after milliseconds: Int64) {
        now += milliseconds
        requests += state.expireGaps(at: now, patience: .window)
    }

    func inputEnds() { requests += state.expireGaps(at: now, patience: .none) }

    /// Applies an upstream's answer to attempt `attempt`, 1 being the first.
    func answer(_ lines: [[UInt8]], attempt: UInt64, coveredThrough: Int64?) throws {
        var framer = LineFramer(limits: limits)
        lines.reduce(into: [UInt8]()) { $0 += $1 + [0x0A] }.withUnsafeBytes { framer.append($0) }
        framer.finish()
        let batches = try framer.takeBlocks().map { try decoder.decode($0) }
        requests += state.applyAnswer(
            batches, coveredThrough: coveredThrough.map { EventSequence($0) }, to: 0, attempt: attempt, random: 0.5,
            at: now)
    }

    func fail(attempt: UInt64, isFinal: Bool) {
        requests += state.failReconcile(of: 0, attempt: attempt, isFinal: isFinal, random: 0.5, at: now)
    }

    func pauseEnds(attempt: UInt64) { requests += state.resumeReconcile(of: 0, attempt: attempt, at: now) }

    /// Receives a line, without its LF.
    func feed(_ line: [UInt8]) throws {
        (line + [0x0A]).withUnsafeBytes { framer.append($0) }
        for block in framer.takeBlocks() { state.apply(try decoder.decode(block), at: now) }
        requests += state.expireGaps(at: now, patience: .endless)
    }

    /// Stores a server's answer to a query of the library.
    func refreshQuery() throws {
        var framer = LineFramer(limits: limits)
        let line = #"{"library_id":"a","event":{"BatchChanged":{"resource_type":"file","resources":[]}}}"# + "\n"
        Array(line.utf8).withUnsafeBytes { framer.append($0) }
        guard let block = framer.takeBlocks().first else { return }
        let head = QueryResultHead(
            key: QueryKey(library: "a", method: "all", canonicalInput: "{}"), timeToLive: nil, asOf: nil,
            membership: nil,
            membershipText: [], tags: [], isLocal: false, start: nil)
        _ = try state.store(try decoder.decode(block), head, at: now)
    }

    // MARK: Outcome

    /// Marks the point after which everything belongs to the cell.
    func begin() {
        countsBefore = state.counts
        entitiesBefore = entities
        requests = []
    }

    /// The state, cursor, epoch and lost ranges, with the counts, writes and requests since ``begin()``. Zeroes and
    /// empty parts are left out.
    var outcome: String {
        let status = state.status(of: 0)
        var parts = ["\(status.phase.rawValue) \(status.cursor.map { "\($0.rawValue)" } ?? "-")"]
        if !status.epoch.bytes.isEmpty { parts.append("epoch \(status.epoch)") }
        let lost = status.lost.map { "\($0.first.rawValue)-\($0.last.rawValue)" }
        if !lost.isEmpty { parts.append("lost " + lost.joined(separator: " ")) }
        let counts = state.counts - countsBefore
        let bins: [(String, Int64)] = [
            ("applied", counts.applied), ("duplicate", counts.duplicate), ("ignored", counts.ignored),
            ("quarantined", counts.quarantined), ("held", counts.held), ("reconciled", counts.reconciled),
        ]
        parts += bins.filter { $0.1 != 0 }.map { "\($0.0) \($0.1)" }
        let written = entities.subtracting(entitiesBefore)
        if !written.isEmpty { parts.append("wrote " + written.sorted().joined(separator: " ")) }
        parts += requests.map { request in
            switch request {
            case .ask(_, let sequence, let attempt): "ask from \(sequence.rawValue), attempt \(attempt)"
            case .wait(_, let attempt, let milliseconds): "wait \(milliseconds), attempt \(attempt)"
            }
        }
        return parts.joined(separator: "; ")
    }

    func checkInvariants() { state.entities.checkInvariants() }

    private var entities: Set<String> {
        var ids: Set<String> = []
        state.forEachEntity { key, _, _ in ids.insert(key.id.description) }
        return ids
    }
}

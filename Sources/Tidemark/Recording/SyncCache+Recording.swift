import TidemarkModel
import TidemarkStore

/// Records changes. Without a recorder each of these functions costs one test for nil.
extension SyncCache {
    /// The state before a step, for computing the step's outcome.
    struct RecordingMark {
        var counts: EventCounts
        var statuses: [LibraryStatus]
        var pendingCount: Int
        var toldCount: Int64
    }

    /// Performs a step and records it.
    ///
    /// A step may cause others before it ends, for example an event that lets the outbox begin an attempt. They are
    /// recorded after it, and a replay performs them in that order.
    ///
    /// - Parameters:
    ///   - step: Evaluated only if there is a recorder.
    ///   - library: The library whose state the step may change; nil for any library.
    ///   - now: The time of the step.
    ///   - body: Performs the step, and dates its changes with `now`.
    func recorded<Value, Refusal: Error>(
        _ step: @autoclosure () -> RecordedStep, of library: ByteString? = nil, at now: Int64,
        _ body: () throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        guard recorder != nil else { return try body() }
        let mark = mark(of: library)
        let place = turns.steps.begin()
        do throws(Refusal) {
            let value = try body()
            note(step(), of: library, at: now, since: mark, value as? [ReconcileRequest] ?? [], at: place)
            return value
        } catch {
            note(step(), of: library, at: now, since: mark, refusal: "\(error)", at: place)
            throw error
        }
    }

    /// Applies a batch's events one by one, so that the outcome of each is recorded.
    func applyRecorded(_ batch: EventBatch, _ events: Range<Int>) {
        let now = clock.now()
        let steps = events.isEmpty ? [events] : events.map { $0..<$0 + 1 }
        for step in steps {
            let library = step.first.flatMap { index in
                batch.withBytes { bytes in
                    let event = batch.events[index]
                    return event.library.isAbsent ? nil : ByteString(bytes[event.library])
                }
            }
            let name = library ?? configuration.defaultLibrary
            recorded(.lines(batch, events: step), of: name, at: now) {
                state.apply(batch, events: step, at: now)
                distribute()
            }
        }
    }

    /// Records the evictions and reductions since the last call.
    func recordLeavings(at now: Int64) {
        guard let recorder else { return }
        let gone = state.drainEvictionLog()
        guard !gone.isEmpty else { return }
        let step = RecordedStep.leaving(
            evicted: state.entityKeys(of: gone.evicted), reduced: state.entityKeys(of: gone.reduced),
            queries: gone.queries)
        let entry = RecordedEntry(step: step, at: now, outcome: RecordedOutcome(), toldCount: 0)
        if !turns.steps.add(entry) { recorder.record(entry) }
    }

    // MARK: What came of it

    private func mark(of library: ByteString?) -> RecordingMark {
        RecordingMark(
            counts: state.counts, statuses: statuses(of: library), pendingCount: state.layerCount,
            toldCount: observers.notificationCount)
    }

    private func statuses(of library: ByteString?) -> [LibraryStatus] {
        guard let library else { return state.statuses }
        return state.status(named: library).map { [$0] } ?? []
    }

    private func note(
        _ step: RecordedStep, of library: ByteString?, at now: Int64, since mark: RecordingMark,
        _ requests: [ReconcileRequest] = [], refusal: String? = nil, at place: Int
    ) {
        guard let recorder else { return }
        var outcome = RecordedOutcome()
        outcome.counts = state.counts - mark.counts
        let before = Dictionary(uniqueKeysWithValues: mark.statuses.map { ($0.library, $0) })
        // A library without a status before the step is compared with an unknown one: a library that was only
        // mentioned, for example by an observer, has not changed.
        let changed = statuses(of: library).filter { status in
            status
                != before[status.library]
                ?? LibraryStatus(library: status.library, epoch: "", cursor: nil, phase: .cold, lost: [])
        }
        outcome.libraries = changed.map { status in
            RecordedOutcome.Place(
                library: status.library, epoch: status.epoch, sequence: status.cursor, phase: status.phase,
                lost: before[status.library]?.lost ?? [] == status.lost ? nil : status.lost)
        }
        outcome.requests = requests.map { request in
            switch request {
            case .ask(let library, let sequence, let attempt):
                RecordedOutcome.Request(
                    library: state.status(of: library).library, attempt: attempt, sequence: sequence)
            case .wait(let library, let attempt, let milliseconds):
                RecordedOutcome.Request(
                    library: state.status(of: library).library, attempt: attempt, milliseconds: milliseconds)
            }
        }
        if state.layerCount != mark.pendingCount { outcome.pendingCount = state.layerCount }
        outcome.refusal = refusal
        let toldCount = observers.notificationCount - mark.toldCount
        let entries = turns.steps.end(
            RecordedEntry(step: step, at: now, outcome: outcome, toldCount: toldCount), at: place)
        for entry in entries { recorder.record(entry) }
        recordLeavings(at: now)
    }
}

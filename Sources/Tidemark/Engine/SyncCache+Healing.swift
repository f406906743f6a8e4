import Logging
import TidemarkModel
import TidemarkStore

/// The wait for the next question for lost numbers.
struct HealTimer {
    /// Milliseconds since 1970.
    var due: Int64
    var task: Task<Void, Never>
}

/// Asking the upstream again for numbers that were lost.
///
/// - Source: Protocol/sequencing.md, healing.
extension SyncCache {
    /// Asks the upstream now for every number that was lost, and returns when its answers are applied.
    ///
    /// The cache does so by itself when it is opened, when a question is answered after one that failed, and every 10 minutes,
    /// up to a day apart while nothing comes of it. A program calls this when it knows that the upstream can be reached again.
    /// A library that misses something ahead of its cursor is asked for that first, and for lost numbers a little later.
    ///
    /// - Parameter library: nil: every library.
    /// - Returns: The libraries' places afterwards, as ``libraries()`` gives them.
    @discardableResult
    public func heal(library: ByteString? = nil) async -> [LibraryStatus] {
        guard upstream != nil, !isClosed else { return state.statuses }
        followLosses()
        let wanted = state.lossyLibraries.filter { library == nil || state.status(of: $0).library == library }
        let now = clock.now()
        for index in wanted { healing.makeDue(index, at: now) }
        await askForLost()
        // An answer that brought something is followed by the next question.
        while !isClosed, let asked = wanted.lazy.compactMap({ self.healingTask($0) }).first { await asked.value }
        return state.statuses
    }

    /// The cache was opened: what was lost earlier is asked for at once.
    func beginHealing() {
        guard upstream != nil else { return }
        followLosses()
        healing.makeAllDue(at: clock.now())
        scheduleHealing()
    }

    /// Numbers may have been lost since the last call.
    func followLosses() {
        guard upstream != nil, seenLossCount != state.lossCount else { return }
        seenLossCount = state.lossCount
        healing.follow(state.lossyLibraries, at: clock.now())
        scheduleHealing()
    }

    /// A question is over; it may have been one for lost numbers.
    ///
    /// - Parameter isAnswered: The upstream answered. Libraries whose own question it did not answer before are due then: it
    ///   can be reached again.
    func followHealing(of library: LibraryIndex, isAnswered: Bool) {
        guard upstream != nil else { return }
        let now = clock.now()
        if healing.isAsking(library), !state.isHealing(library) {
            healing.answered(library, lost: state.lostRanges(of: library), at: now)
        }
        if isAnswered {
            unreachable.remove(library)
            for other in unreachable { healing.makeDue(other, at: now) }
            unreachable = []
        }
        if !healing.isEmpty { healing.follow(state.lossyLibraries, at: now) }
        followLosses()
        scheduleHealing()
    }

    private func scheduleHealing() {
        guard !isClosed, let due = healing.nextDue, healTimer.map({ due < $0.due }) ?? true else { return }
        healTimer?.task.cancel()
        let delay = max(0, due.subtractingClamped(clock.now()))
        let task = spawn { [weak self, clock] in
            do {
                try await clock.sleep(milliseconds: delay)
            } catch {
                return
            }
            await self?.healTimerFired()
        }
        healTimer = HealTimer(due: due, task: task)
    }

    private func healTimerFired() async {
        healTimer = nil
        await askForLost()
    }

    /// Asks for what is due. Takes a turn, so that no batch is overtaken.
    private func askForLost() async {
        guard !isClosed else { return }
        await takeTurn()
        defer { turn.giveBack() }
        let now = clock.now()
        // The stream may have brought what was lost.
        healing.follow(state.lossyLibraries, at: now)
        for library in healing.due(at: now) where !isClosed {
            guard state.canHeal(library) else {
                healing.postpone(library, at: now)
                continue
            }
            let lost = state.lostRanges(of: library)
            let name = state.status(of: library).library
            let requests = recorded(.healing(library: name), of: name, at: now) {
                state.beginHealing(library, at: now)
            }
            healing.asked(library, lost: lost)
            perform(requests)
        }
        scheduleHealing()
    }

    /// The question for lost numbers that is under way; nil when there is none.
    private func healingTask(_ library: LibraryIndex) -> Task<Void, Never>? {
        state.isHealing(library) ? reconcileTasks[library]?.task : nil
    }

    // MARK: Lying numbers

    /// Takes back a cursor that a lying number moved: the library's log goes on behind `sequence`.
    ///
    /// Numbers above it are lost no more, entities that were written under such a number count as written at `sequence`, and
    /// every query of the library is stale.
    ///
    /// - Parameter sequence: Below the cursor.
    /// - Throws: ``CacheError`` when the cursor cannot be taken back; ``StorageError`` when entities cannot be read or written.
    /// - Complexity: O(entities of the library).
    package func rewind(library: ByteString, to sequence: EventSequence) async throws {
        await takeTurn()
        defer { turn.giveBack() }
        guard let index = state.libraryIndex(of: library) else {
            throw CacheError(.invalidParams, "nothing is known of library \(library)")
        }
        try await flush()
        try await loadAbove(sequence, of: index)
        do throws(CacheState.RewindRefusal) {
            try state.rewind(library, to: sequence, at: clock.now())
        } catch {
            throw CacheError(rewind: error, of: library, to: sequence)
        }
        distribute()
        try await flush()
    }

    /// Reads the entities into memory whose stamps are above a sequence; what layers above hold is there already.
    private func loadAbove(_ sequence: EventSequence, of library: LibraryIndex) async throws(StorageError) {
        for place in state.storedTypes(library: state.status(of: library).library, type: nil) {
            var after: StoredID?
            while true {
                let page = try await journal.page(
                    library: place.library, type: place.type, after: after, countMax: SyncCache.pageCountMax)
                guard let last = page.last else { break }
                after = last
                let above = page.entities.filter { $0.highestSequence.map { $0 > sequence } ?? false }
                state.install(LoadedEntities(entities: above))
            }
        }
    }
}

extension CacheError {
    fileprivate init(rewind refusal: CacheState.RewindRefusal, of library: ByteString, to sequence: EventSequence) {
        switch refusal {
        case .unknownLibrary:
            self.init(.invalidParams, "nothing is known of library \(library)")
        case .notAhead(let cursor):
            let place = cursor.map { "at \($0.rawValue)" } ?? "cold"
            self.init(
                .conflict, "library \(library) is \(place): only a cursor above \(sequence.rawValue) goes back to it")
        case .busy:
            self.init(.conflict, "library \(library) waits for missing events: try again when it does not")
        }
    }
}

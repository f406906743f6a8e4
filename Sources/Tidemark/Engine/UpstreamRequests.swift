import TidemarkModel
import TidemarkStore

/// The requests to an upstream for events: those that are under way with the pauses before the next ones, at most one a
/// library, and the schedule of those for lost numbers. Bounded by `libraryCountMax`.
struct UpstreamRequests {
    private struct Entry {
        /// The number of the attempt: the end of an attempt must not remove the task of the next one.
        var attempt: UInt64
        var task: Task<Void, Never>
    }

    private var entries: [LibraryIndex: Entry] = [:]
    private var healing = HealSchedule()

    // MARK: Under way

    /// Whether no library waits for its upstream.
    var isEmpty: Bool { entries.isEmpty }

    /// The task of some library; nil when no library waits for its upstream.
    var first: Task<Void, Never>? { entries.values.first?.task }

    var all: [Task<Void, Never>] { entries.values.map(\.task) }

    func task(of library: LibraryIndex) -> Task<Void, Never>? { entries[library]?.task }

    /// Keeps the task of an attempt, in place of the one before.
    mutating func began(_ attempt: UInt64, of library: LibraryIndex, _ task: Task<Void, Never>) {
        entries[library] = Entry(attempt: attempt, task: task)
    }

    /// Notes the end of an attempt. The end of an attempt that a later one has replaced changes nothing.
    mutating func ended(_ attempt: UInt64, of library: LibraryIndex) {
        if entries[library]?.attempt == attempt { entries[library] = nil }
    }

    func cancel(_ library: LibraryIndex) { entries[library]?.task.cancel() }

    func cancelAll() {
        for entry in entries.values { entry.task.cancel() }
    }

    // MARK: Lost numbers

    /// The time of the next request for lost numbers, in milliseconds since 1970; nil when none is due.
    var nextHealing: Int64? { healing.nextDue }

    /// Makes the requests for lost numbers of some libraries due at once, unless they are under way.
    mutating func wantHealing(of libraries: [LibraryIndex], at now: Int64) {
        for library in libraries { healing.makeDue(library, at: now) }
    }

    /// Makes every request for lost numbers due, except those that are under way: the upstream is reachable.
    mutating func wantAllHealing(at now: Int64) { healing.makeAllDue(at: now) }

    /// Updates the schedule when numbers were lost since the last call.
    ///
    /// - Parameters:
    ///   - lossCount: The number of losses so far.
    ///   - lossy: Returns the libraries that have lost numbers now; read only when the schedule is updated.
    ///   - now: The time, in milliseconds since 1970; read only when the schedule is updated.
    /// - Returns: Whether the schedule was updated.
    mutating func followLosses(lossCount: Int64, lossy: () -> [LibraryIndex], at now: () -> Int64) -> Bool {
        guard healing.isOutdated(lossCount: lossCount) else { return false }
        healing.follow(lossy(), at: now())
        return true
    }

    /// Returns the libraries whose request for lost numbers is due, in the order of their numbers.
    ///
    /// - Parameter lossy: The libraries that have lost numbers now: a stream may have brought some.
    mutating func dueHealings(lossy: [LibraryIndex], at now: Int64) -> [LibraryIndex] {
        healing.follow(lossy, at: now)
        return healing.due(at: now)
    }

    /// Decides whether a request for lost numbers that is due is sent now; if not, it is delayed.
    ///
    /// - Parameter lost: The lost ranges; nil when the library has to be asked for something else first.
    mutating func beginsHealing(_ library: LibraryIndex, lost: [LostRange]?, at now: Int64) -> Bool {
        guard let lost else {
            healing.postpone(library, at: now)
            return false
        }
        healing.asked(library, lost: lost)
        return true
    }

    /// Notes that the upstream did not answer a request for lost numbers.
    mutating func unreached(_ library: LibraryIndex) { healing.unreached(library) }

    /// Notes the end of a request, which may have been one for lost numbers.
    ///
    /// - Parameters:
    ///   - isAnswered: Whether the upstream answered. If so, libraries whose last request for lost numbers it did not
    ///     answer are due: it is reachable again.
    ///   - isHealing: Whether a request for lost numbers is still under way.
    ///   - lost: Returns the ranges of the library that are lost now.
    ///   - lossy: Returns the libraries that have lost numbers now.
    mutating func followHealing(
        of library: LibraryIndex, isAnswered: Bool, isHealing: Bool, lost: () -> [LostRange],
        lossy: () -> [LibraryIndex], at now: Int64
    ) {
        if healing.isAsking(library), !isHealing { healing.answered(library, lost: lost(), at: now) }
        if isAnswered { healing.reached(by: library, at: now) }
        if !healing.isEmpty { healing.follow(lossy(), at: now) }
    }
}

import TidemarkModel
import TidemarkStore

/// The requests to an upstream for events, at most one a library: those under way, the pauses before the next ones, and
/// the schedule of requests for lost numbers. Bounded by `libraryCountMax`.
struct UpstreamRequests {
    private struct Entry {
        /// The number of the attempt, so that the end of an old attempt does not remove the task of the next one.
        var attempt: UInt64
        var task: Task<Void, Never>
    }

    private var entries: [LibraryIndex: Entry] = [:]
    private var healing = HealSchedule()

    // MARK: Under way

    /// True if no library waits for its upstream.
    var isEmpty: Bool { entries.isEmpty }

    /// The task of some library; nil when no library waits for its upstream.
    var first: Task<Void, Never>? { entries.values.first?.task }

    var all: [Task<Void, Never>] { entries.values.map(\.task) }

    func task(of library: LibraryIndex) -> Task<Void, Never>? { entries[library]?.task }

    /// Stores the task of an attempt, replacing the library's previous one.
    mutating func began(_ attempt: UInt64, of library: LibraryIndex, _ task: Task<Void, Never>) {
        entries[library] = Entry(attempt: attempt, task: task)
    }

    /// Removes the task of an attempt that ended, unless a later attempt has replaced it.
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

    /// Makes the requests for lost numbers of some libraries due now, unless they are under way.
    mutating func wantHealing(of libraries: [LibraryIndex], at now: Int64) {
        for library in libraries { healing.makeDue(library, at: now) }
    }

    /// Makes every request for lost numbers due now, except those under way, because the upstream is reachable.
    mutating func wantAllHealing(at now: Int64) { healing.makeAllDue(at: now) }

    /// Updates the schedule if numbers were lost since the last call.
    ///
    /// - Parameters:
    ///   - lossCount: The number of losses so far.
    ///   - lossy: Returns the libraries that have lost numbers now; called only when the schedule is updated.
    ///   - now: Returns the time, in milliseconds since 1970; called only when the schedule is updated.
    /// - Returns: True if the schedule was updated.
    mutating func followLosses(lossCount: Int64, lossy: () -> [LibraryIndex], at now: () -> Int64) -> Bool {
        guard healing.isOutdated(lossCount: lossCount) else { return false }
        healing.follow(lossy(), at: now())
        return true
    }

    /// Returns the libraries whose request for lost numbers is due, in the order of their numbers.
    ///
    /// - Parameter lossy: The libraries that have lost numbers now; late events may have changed them.
    mutating func dueHealings(lossy: [LibraryIndex], at now: Int64) -> [LibraryIndex] {
        healing.follow(lossy, at: now)
        return healing.due(at: now)
    }

    /// Decides whether to send a request for lost numbers that is due. If not, the request is postponed.
    ///
    /// - Parameter lost: The lost ranges; nil when another request for the library has to go first.
    mutating func beginsHealing(_ library: LibraryIndex, lost: [LostRange]?, at now: Int64) -> Bool {
        guard let lost else {
            healing.postpone(library, at: now)
            return false
        }
        healing.asked(library, lost: lost)
        return true
    }

    /// Records that a request for lost numbers got no response.
    mutating func unreached(_ library: LibraryIndex) { healing.unreached(library) }

    /// Updates the schedule after the end of a request, which may have been one for lost numbers.
    ///
    /// - Parameters:
    ///   - isAnswered: Whether the upstream responded. If so, it is reachable again, and libraries whose last request
    ///     for lost numbers got no response are due.
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

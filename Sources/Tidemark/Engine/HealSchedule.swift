import TidemarkModel
import TidemarkStore

/// When to ask each library's upstream for lost numbers.
///
/// A pure value that reads no clock. All libraries are due when the cache is opened and when the upstream is reachable
/// again. After that a request follows every 10 minutes. A request that brings nothing doubles the pause, up to a day.
///
/// - Source: Protocol/sequencing.md, healing.
struct HealSchedule {
    private struct Entry {
        /// The time of the next request, in milliseconds since 1970; nil while a request is under way.
        var due: Int64?
        /// The pause after the next request, in milliseconds.
        var pause: Int64
        /// The lost ranges at the time of the request.
        var lostBefore: [LostRange] = []
    }

    /// The shortest pause: 10 minutes.
    static let pauseMin: Int64 = 600_000
    /// The longest pause: a day.
    static let pauseMax: Int64 = 86_400_000

    /// One entry for each library with lost numbers. Bounded by `libraryCountMax`.
    private var entries: [LibraryIndex: Entry] = [:]
    /// The libraries whose last request got no response. Bounded by `libraryCountMax`.
    private var unreachable: Set<LibraryIndex> = []
    /// The ``/TidemarkStore/CacheState/lossCount`` at the last update; nil before the first.
    private var seenLossCount: Int64?

    var isEmpty: Bool { entries.isEmpty }

    /// The time of the next request, in milliseconds since 1970; nil when none is due.
    var nextDue: Int64? { entries.values.compactMap(\.due).min() }

    /// Returns the libraries whose request is due, in the order of their numbers.
    func due(at now: Int64) -> [LibraryIndex] {
        entries.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted()
    }

    /// Returns true if numbers were lost since the last call, and remembers the new count.
    mutating func isOutdated(lossCount: Int64) -> Bool {
        defer { seenLossCount = lossCount }
        return seenLossCount != lossCount
    }

    /// Records that a request got no response.
    mutating func unreached(_ library: LibraryIndex) { unreachable.insert(library) }

    /// Records that the upstream responded. The libraries whose last request got no response become due.
    mutating func reached(by library: LibraryIndex, at now: Int64) {
        unreachable.remove(library)
        for other in unreachable { makeDue(other, at: now) }
        unreachable = []
    }

    /// Updates the schedule to the libraries that have lost numbers now. A library that is new in it is due after the
    /// shortest pause.
    mutating func follow(_ lossy: [LibraryIndex], at now: Int64) {
        let known = Set(lossy)
        entries = entries.filter { known.contains($0.key) }
        for library in lossy where entries[library] == nil {
            entries[library] = Entry(due: now.addingClamped(HealSchedule.pauseMin), pause: HealSchedule.pauseMin)
        }
    }

    /// Makes every library due now, because the upstream is reachable. Libraries with a request under way are left out.
    mutating func makeAllDue(at now: Int64) {
        for library in entries.keys where entries[library]?.due != nil {
            entries[library] = Entry(due: now, pause: HealSchedule.pauseMin)
        }
    }

    /// Makes a library due now, unless a request for it is under way. Its pauses keep doubling.
    mutating func makeDue(_ library: LibraryIndex, at now: Int64) {
        if entries[library]?.due != nil { entries[library]?.due = now }
    }

    /// Records that a request was sent.
    mutating func asked(_ library: LibraryIndex, lost: [LostRange]) {
        entries[library]?.due = nil
        entries[library]?.lostBefore = lost
    }

    /// Delays a request that cannot be sent now.
    mutating func postpone(_ library: LibraryIndex, at now: Int64) {
        entries[library]?.due = now.addingClamped(ReconcileMachine.postponeDelay)
    }

    /// Records the end of a request and schedules the next one.
    ///
    /// - Parameter lost: The ranges that are lost now.
    mutating func answered(_ library: LibraryIndex, lost: [LostRange], at now: Int64) {
        guard let entry = entries[library], entry.due == nil else { return }
        guard !lost.isEmpty else {
            entries[library] = nil
            return
        }
        let pause = lost == entry.lostBefore ? entry.pause : HealSchedule.pauseMin
        entries[library] = Entry(
            due: now.addingClamped(pause), pause: min(pause.addingClamped(pause), HealSchedule.pauseMax))
    }

    /// Returns true if a request of this schedule may be under way.
    func isAsking(_ library: LibraryIndex) -> Bool {
        guard let entry = entries[library] else { return false }
        return entry.due == nil
    }
}

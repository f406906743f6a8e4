import TidemarkModel
import TidemarkStore

/// When each library's upstream is asked again for numbers that were lost.
///
/// A pure value that reads no clock. All are due when the cache is opened and when the upstream can be reached again; after
/// that every 10 minutes, and after a question that brought nothing at twice the time of the one before, up to a day.
///
/// - Source: Protocol/sequencing.md, healing.
struct HealSchedule {
    private struct Entry {
        /// Milliseconds since 1970; nil while the question is under way.
        var due: Int64?
        /// Milliseconds until the question after the next one.
        var pause: Int64
        /// The ranges that were lost when the question was asked.
        var lostBefore: [LostRange] = []
    }

    /// 10 minutes.
    static let pauseMin: Int64 = 600_000
    /// A day.
    static let pauseMax: Int64 = 86_400_000

    /// One for each library that has lost numbers. Bounded by `libraryCountMax`.
    private var entries: [LibraryIndex: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// When the next question is due, in milliseconds since 1970; nil when none is.
    var nextDue: Int64? { entries.values.compactMap(\.due).min() }

    /// Libraries whose question is due, in the order of their numbers.
    func due(at now: Int64) -> [LibraryIndex] {
        entries.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted()
    }

    /// These libraries, and no others, have lost numbers. A new one is asked for after the shortest pause.
    mutating func follow(_ lossy: [LibraryIndex], at now: Int64) {
        let known = Set(lossy)
        entries = entries.filter { known.contains($0.key) }
        for library in lossy where entries[library] == nil {
            entries[library] = Entry(due: now.addingClamped(HealSchedule.pauseMin), pause: HealSchedule.pauseMin)
        }
    }

    /// The upstream can be reached: every library is due, but for those that are being asked for.
    mutating func makeAllDue(at now: Int64) {
        for library in entries.keys where entries[library]?.due != nil {
            entries[library] = Entry(due: now, pause: HealSchedule.pauseMin)
        }
    }

    /// A library is due at once, but for one that is being asked for. Its pauses go on doubling.
    mutating func makeDue(_ library: LibraryIndex, at now: Int64) {
        if entries[library]?.due != nil { entries[library]?.due = now }
    }

    /// The question was asked.
    mutating func asked(_ library: LibraryIndex, lost: [LostRange]) {
        entries[library]?.due = nil
        entries[library]?.lostBefore = lost
    }

    /// The question could not be asked now.
    mutating func postpone(_ library: LibraryIndex, at now: Int64) {
        entries[library]?.due = now.addingClamped(ReconcileMachine.postponeDelay)
    }

    /// The question is over.
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

    /// Whether a question that this schedule began may be under way.
    func isAsking(_ library: LibraryIndex) -> Bool {
        guard let entry = entries[library] else { return false }
        return entry.due == nil
    }
}

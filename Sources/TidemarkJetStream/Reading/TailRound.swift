import TidemarkModel

/// Schedules which libraries' last messages are looked up while a stream is quiet, a few at a time.
///
/// - Source: Protocol/jetstream.md, reading.
struct TailRound {
    /// A library, and the sequence up to which the cache has its messages.
    struct Place: Equatable {
        var library: ByteString
        var sequence: Int64
    }

    /// The time between the starts of two rounds; each round looks up each library once.
    static let interval = Duration.seconds(5)
    /// The most libraries that are looked up together: some 10 ms, during which nothing is read.
    static let placeCountMax = 32

    /// The libraries that this round has not looked up yet; bounded by the libraries of the cache.
    private var rest: ArraySlice<Place> = []
    private var nextBegin: ContinuousClock.Instant
    /// True after a failed lookup: no further round begins.
    private(set) var hasEnded = false

    /// Creates a schedule whose first round begins one interval after `now`.
    init(at now: ContinuousClock.Instant) { nextBegin = now + TailRound.interval }

    /// Returns the libraries to look up now; empty between two rounds.
    ///
    /// - Parameter places: Called at the start of a round; returns all libraries.
    mutating func next(at now: ContinuousClock.Instant, _ places: () -> [Place]) -> ArraySlice<Place> {
        guard !hasEnded else { return [] }
        if rest.isEmpty, now >= nextBegin {
            rest = places()[...]
            nextBegin = now + TailRound.interval
        }
        let taken = rest.prefix(TailRound.placeCountMax)
        rest = rest.dropFirst(TailRound.placeCountMax)
        return taken
    }

    /// Ends all rounds. A new consumer starts a new schedule.
    mutating func end() {
        rest = []
        hasEnded = true
    }
}

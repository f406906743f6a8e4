import TidemarkModel

/// The libraries whose last messages are looked up while a stream is quiet, a few at a time.
///
/// - Source: Protocol/jetstream.md, reading.
struct TailRound {
    /// A library, and the number up to which the cache has its messages.
    struct Place: Equatable {
        var library: ByteString
        var sequence: Int64
    }

    /// The time between the beginnings of two rounds: each library is looked up once in it.
    static let interval = Duration.seconds(5)
    /// The libraries that are looked up together: some 10 ms, for which reading waits.
    static let placeCountMax = 32

    /// The libraries that are still to be looked up; bounded by the libraries of the cache.
    private var rest: ArraySlice<Place> = []
    private var nextBegin: ContinuousClock.Instant
    /// Whether no round begins any more: the server did not answer.
    private(set) var hasEnded = false

    /// - Parameter now: The first round begins one interval later.
    init(at now: ContinuousClock.Instant) { nextBegin = now + TailRound.interval }

    /// Returns the libraries to look up now; empty between two rounds.
    ///
    /// - Parameter places: Called when a round begins.
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

    /// Ends the rounds until another consumer is made.
    mutating func end() {
        rest = []
        hasEnded = true
    }
}

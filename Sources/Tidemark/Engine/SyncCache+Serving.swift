import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Begins to count the outcomes of one input's events.
    package func beginTally(of input: InputID) { state.tallies.begin(input) }

    /// Ends the counting for an input.
    ///
    /// - Returns: The outcomes so far, without lines; and the number of its events that are still held.
    package func takeTally(of input: InputID) -> (counts: EventCounts, heldCount: Int) {
        (state.tallies.take(input), state.heldCount(of: input))
    }

    /// The numbers that each library is known to be behind its log.
    ///
    /// - Complexity: O(libraries).
    package var lags: [(library: ByteString, count: Int64)] { state.lags }
}

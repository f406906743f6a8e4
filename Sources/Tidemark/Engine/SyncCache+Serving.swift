import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Begins to count the outcomes of one input's events.
    package func beginTally(of input: InputID) { state.tallies.begin(input) }

    /// Ends the counting of one input's events.
    ///
    /// - Returns: The outcomes so far, without lines, and how many of the input's events are still held.
    package func takeTally(of input: InputID) -> (counts: EventCounts, heldCount: Int) {
        (state.tallies.take(input), state.heldCount(of: input))
    }

    /// How many numbers each library is known to be behind its log.
    ///
    /// - Complexity: O(libraries).
    package var lags: [(library: ByteString, count: Int64)] { state.lags }
}

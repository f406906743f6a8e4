/// The counters of one run.
package struct ReferenceCounts: Equatable, Sendable {
    /// All lines.
    package var lines = 0
    /// Blank lines.
    package var blank = 0
    /// Control lines.
    package var control = 0
    /// Messages.
    package var messages = 0
    /// Events that were applied.
    package var applied = 0
    /// Events that had been applied or held before.
    package var duplicate = 0
    /// Events of unknown kinds.
    package var ignored = 0
    /// Unusable lines.
    package var quarantined = 0
    /// Events that were held when their log ended.
    package var held = 0
    /// Unusable members of batches.
    package var membersQuarantined = 0
    /// Events that the upstream supplied.
    package var reconciled = 0
    /// Events that arrived after they had been declared lost.
    package var late = 0

    /// Creates counters at zero.
    package init() {}

    /// The number of lines that were events, usable or not.
    package var events: Int { applied + duplicate + ignored + quarantined + held }
}

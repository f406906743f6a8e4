/// The counters of one run.
package struct ReferenceCounts: Equatable, Sendable {
    package var lines = 0
    package var blank = 0
    package var control = 0
    package var messages = 0
    package var applied = 0
    package var duplicate = 0
    package var ignored = 0
    package var quarantined = 0
    package var held = 0
    package var membersQuarantined = 0
    package var reconciled = 0
    package var late = 0

    package init() {}

    /// The number of lines that were events, usable or not.
    package var events: Int { applied + duplicate + ignored + quarantined + held }
}

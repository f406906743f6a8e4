/// How a library relates to its log.
///
/// - Source: Protocol/sequencing.md.
public enum LibraryPhase: String, Sendable, CaseIterable {
    /// No sequenced event has arrived yet.
    case cold
    /// Every event up to the cursor was applied.
    case live
    /// An event is missing before a held event or before a heartbeat's last sequence, or the source cannot be reached.
    case gap
    /// The upstream was asked for missing events and has not responded yet.
    case reconciling
    /// Events were lost, or the log began anew; entities may be older than the server's.
    case stale
}

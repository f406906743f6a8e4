/// The state of a library relative to its log.
///
/// - Source: Protocol/sequencing.md.
public enum LibraryPhase: String, Sendable, CaseIterable {
    /// No sequenced event was seen yet.
    case cold
    /// Every event up to the cursor was applied.
    case live
    /// An event before a held event, or before a heartbeat's last sequence, is missing.
    case gap
    /// The upstream was asked for the missing events.
    case reconciling
    /// Events were lost, or the log started again; entities may be older than the server's.
    case stale
}

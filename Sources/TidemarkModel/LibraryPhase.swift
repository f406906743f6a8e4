/// Where a library stands in its log.
///
/// - Source: Protocol/sequencing.md.
public enum LibraryPhase: String, Sendable, CaseIterable {
    /// No sequenced event was seen yet.
    case cold
    /// Every event up to the cursor was applied.
    case live
    /// Something before a held event, or before a heartbeat's last sequence, is missing.
    case gap
    /// The upstream was asked for what is missing.
    case reconciling
    /// Something was lost, or the log began anew; entities may be older than the server's.
    case stale
}

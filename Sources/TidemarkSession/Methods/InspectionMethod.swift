import Tidemark
import TidemarkModel
import TidemarkStore

/// A request for looking at a cache, with checked parameters.
///
/// - Source: Protocol/sessions.md, looking at a cache.
enum InspectionMethod: Sendable {
    case base(EntityKey, fields: [ByteString]?)
    case find(EntityFinding)
    /// Lists queries; a nil `library` lists those of every library.
    case queries(library: ByteString?, type: ByteString?, after: Int64, countMax: Int)
    case quarantine(QuarantineSelection)
    /// Applies quarantined records again; nil applies all of them.
    case retry([Int64]?)
    case observeLog(EventLog.Filter)
    /// Lists the log events that are kept in memory.
    case events(KeptEvents.Selection)
    case findings
    /// Sets the simulated network faults; nil leaves a fault as it is.
    case disturb(isOffline: Bool?, delay: Int64?, failureCount: Int64?)
    /// Counts entities; a nil `library` counts those of every library.
    case facets(library: ByteString?)

    /// The maximum number of entities, queries, records or events per page: 1,000.
    static let pageCountMax: Int64 = 1_000
    /// The number of elements per page without `limit`: 100.
    static let pageCountDefault = 100
    /// The maximum number of records in one request: 10,000, as many as the quarantine holds by default.
    static let recordCountMax = 10_000
    /// The maximum number of types or bins in one filter: 1,000.
    static let filterCountMax = 1_000
    /// The maximum delay of a request in milliseconds: 10 minutes.
    static let delayMax: Int64 = 600_000
    /// The maximum number of consecutive requests that can be made to fail: 1,000.
    static let failureCountMax: Int64 = 1_000
}

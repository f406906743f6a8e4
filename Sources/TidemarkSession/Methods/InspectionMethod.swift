import Tidemark
import TidemarkModel
import TidemarkStore

/// A request of somebody who looks at a cache.
///
/// - Source: Protocol/sessions.md, looking at a cache.
enum InspectionMethod: Sendable {
    case base(EntityKey, fields: [ByteString]?)
    case find(EntityFinding)
    /// Lists queries; `library` nil: of every library.
    case queries(library: ByteString?, type: ByteString?, after: Int64, countMax: Int)
    case quarantine(QuarantineSelection)
    /// Reads records again; nil: all of them.
    case retry([Int64]?)
    case observeLog(EventLog.Filter)
    /// Lists kept events.
    case events(KeptEvents.Selection)
    case findings
    /// Sets the faults of the network; each nil: as it is.
    case disturb(isOffline: Bool?, delay: Int64?, failureCount: Int64?)
    /// Counts entities; `library` nil: of every library.
    case facets(library: ByteString?)

    /// The largest number of entities, queries, records or events of one page: 1,000.
    static let pageCountMax: Int64 = 1_000
    /// The number of elements of a page when the host sends no limit: 100.
    static let pageCountDefault = 100
    /// The largest number of records that one request names: 10,000, as many as quarantine holds by default.
    static let recordCountMax = 10_000
    /// The largest number of types or bins of one filter: 1,000.
    static let filterCountMax = 1_000
    /// The largest delay of a request: 10 minutes.
    static let delayMax: Int64 = 600_000
    /// The largest number of requests that fail one after another: 1,000.
    static let failureCountMax: Int64 = 1_000
}

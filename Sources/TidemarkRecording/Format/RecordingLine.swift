import Tidemark
import TidemarkModel
import TidemarkStore

/// One line of a recording behind the first.
package enum RecordingLine: Sendable {
    /// A part of the database that was there, in order.
    case base([UInt8])
    /// A step; `outcome` is what came of it, as JSON.
    case entry(RecordedStep, at: Int64, outcome: [UInt8])
    /// Nothing follows; why.
    case end(reason: String)
}

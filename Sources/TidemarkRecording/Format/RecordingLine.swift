import Tidemark
import TidemarkModel
import TidemarkStore

/// One line of a recording after the first.
package enum RecordingLine: Sendable {
    /// A part of the database with which the recording began. Parts are in order.
    case base([UInt8])
    /// A step, its time in milliseconds since 1970, and its outcome as JSON.
    case entry(RecordedStep, at: Int64, outcome: [UInt8])
    /// The end of the recording, with the reason.
    case end(reason: String)
}

import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension RecordedStep {
    /// The approximate size of a step in memory, in bytes, with a fixed overhead.
    var byteCount: Int {
        let own = 256
        switch self {
        case .lines(let batch, let events):
            // All events of a block share its bytes, so only the lines of these events are counted.
            return own + batch.lines(of: events).reduce(0) { $0 + Int(batch.lines[$1].count) }
        case .answer(_, _, _, let batches, _): return own + batches.reduce(0) { $0 + $1.block.count }
        case .result(let result, _, _), .renewal(let result, _, _, _):
            return own + result.resources.reduce(0) { $0 + $1.count }
                + result.included.reduce(0) { $0 + $1.resources.reduce(0) { $0 + $1.count } }
        case .document(let answer): return own + answer.entities.reduce(0) { $0 + $1.resource.count + 128 }
        case .transaction(let operations, _, _): return own + operations.reduce(0) { $0 + $1.byteCount }
        case .update(let update):
            return own + (update.send?.byteCount ?? 0) + update.operations.reduce(0) { $0 + $1.byteCount }
        case .commit(let commit): return own + (commit.confirmed ?? []).reduce(0) { $0 + $1.count }
        case .quarantineRetry(let record): return own + record.bytes.count
        case .removal(let keys): return own + keys.count * 128
        case .leaving(let evicted, let reduced, let queries):
            return own + (evicted.count + reduced.count + queries.count) * 128
        default: return own
        }
    }
}

extension TransactionOperation {
    fileprivate var byteCount: Int {
        switch self {
        case .put(_, let resource): 64 + resource.count
        case .patch(_, _, let fields, _): 64 + fields.count
        default: 128
        }
    }
}

extension RecordingWriter {
    /// Returns the last line of a recording, without an LF.
    static func endLine(_ reason: String) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("end", true)
            line.member("reason", Optional(ByteString(reason)))
        }
        return line.bytes
    }
}

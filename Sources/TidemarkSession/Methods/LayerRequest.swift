import Tidemark
import TidemarkModel
import TidemarkWire

/// A request that makes, confirms or takes away an optimistic layer: it takes effect on its line, and is answered when that
/// is on the disk.
enum LayerRequest: Sendable {
    case update(OptimisticUpdate)
    case commit(OptimisticCommit)
    /// nil: whatever library the layer is of.
    case rollBack(ByteString, library: ByteString?)

    var pendingID: ByteString {
        switch self {
        case .update(let update): update.pendingID
        case .commit(let commit): commit.pendingID
        case .rollBack(let pendingID, _): pendingID
        }
    }

    var isUpdate: Bool {
        switch self {
        case .update: true
        case .commit, .rollBack: false
        }
    }

    /// The `result` once it is on the disk.
    var answer: [UInt8] {
        switch self {
        case .update(let update): Answer.object { $0.member("pending_id", Optional(update.pendingID)) }
        case .commit, .rollBack: Answer.empty
        }
    }
}

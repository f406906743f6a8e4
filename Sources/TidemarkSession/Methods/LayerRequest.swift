import Tidemark
import TidemarkModel
import TidemarkWire

/// A request that lays, commits or rolls back an optimistic layer. It takes effect in the order of its line, and is
/// answered when the change is on the disk.
enum LayerRequest: Sendable {
    case update(OptimisticUpdate)
    case commit(OptimisticCommit)
    /// A rollback; `library` nil: the layer is found by its id alone.
    case rollBack(ByteString, library: ByteString?)
    /// A request that is sent again; `library` nil: as with a rollback.
    case retry(ByteString, library: ByteString?)

    var pendingID: ByteString {
        switch self {
        case .update(let update): update.pendingID
        case .commit(let commit): commit.pendingID
        case .rollBack(let pendingID, _), .retry(let pendingID, _): pendingID
        }
    }

    var isUpdate: Bool {
        switch self {
        case .update: true
        case .commit, .rollBack, .retry: false
        }
    }

    /// The `result` once the change is on the disk.
    var answer: [UInt8] {
        switch self {
        case .update(let update): Answer.object { $0.member("pending_id", Optional(update.pendingID)) }
        case .commit, .rollBack, .retry: Answer.empty
        }
    }
}

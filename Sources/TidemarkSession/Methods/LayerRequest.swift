import Tidemark
import TidemarkModel
import TidemarkJSON

/// A request that adds, commits, rolls back or retries an optimistic layer. It takes effect in line order, and is
/// answered once the change is on disk.
enum LayerRequest: Sendable {
    case update(OptimisticUpdate)
    case commit(OptimisticCommit)
    /// A rollback. A nil `library` finds the layer by its id alone.
    case rollBack(ByteString, library: ByteString?)
    /// Sends the layer's request again. A nil `library` finds the layer by its id alone.
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

    /// The `result` once the change is on disk.
    var answer: [UInt8] {
        switch self {
        case .update(let update): Answer.object { $0.member("pending_id", Optional(update.pendingID)) }
        case .commit, .rollBack, .retry: Answer.empty
        }
    }
}

import TidemarkModel
import TidemarkStore

/// Reports the progress of requests.
extension OutboxQueue {
    /// Returns the status of a request; nil when there is none.
    func status(_ number: Int64) -> OutboxStatus? {
        guard let item = items[number] else { return nil }
        var own = item
        if case .member(let sender) = item.phase, let shown = items[sender] { own = shown }
        var status = OutboxStatus(
            pendingID: item.entry.pendingID, library: item.entry.library, state: .queued,
            attempt: own.entry.sending.attemptCount, failure: own.lastFailure)
        switch own.phase {
        case .queued, .member: status.state = .queued
        case .sending: status.state = .sending
        case .waiting(let moment):
            status.state = .waiting
            status.nextAttemptAt = moment
        case .failed: status.state = .failed
        }
        return status
    }
}

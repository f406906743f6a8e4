import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// Sends the requests of pending edits through a session's host.
///
/// - Source: Protocol/sessions.md, calls to the host.
package struct HostMutations: MutationUpstream {
    private let calls: HostCalls
    private let reader: RequestReader

    /// Creates an upstream that sends mutations to the host.
    ///
    /// - Parameter reader: Parses confirmations, which have the form of `optimistic.commit`.
    init(_ calls: HostCalls, reader: RequestReader) {
        self.calls = calls
        self.reader = reader
    }

    /// Makes one attempt at a mutation with `mutation.send`, and returns the confirmation.
    ///
    /// - Throws: ``UpstreamError`` if the call fails, or the confirmation cannot be used.
    package nonisolated(nonsending) func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit
    {
        let result = try await calls.call("mutation.send") { line in
            line.member("pending_id", Optional(mutation.pendingID))
            line.member("method", Optional(mutation.method))
            line.member("input", json: Optional(mutation.input))
            line.member("attempt", mutation.attempt)
            line.member("library_id", Optional(mutation.library))
            line.name("changes")
            line.array { line in
                for change in mutation.changes { line.value(change) }
            }
        }
        do throws(CacheError) {
            return try reader.commit(Params(result, path: "result"), pendingID: mutation.pendingID)
        } catch {
            throw UpstreamError(
                "the host's answer to mutation.send cannot be used: \(error.message)", isRefusal: true)
        }
    }
}

import Tidemark
import TidemarkModel
import TidemarkTesting

/// The edits that a simulated server is asked to perform, and what it did with each.
///
/// The server performs one mutation per pending id, at whichever attempt. Its memory survives crashes of the cache.
/// Laws: L2.
package struct SentEdits: Sendable {
    /// An edit that the cache may send.
    package struct Edit: Sendable {
        /// The library of the edit.
        package let library: String
        /// The key of the queue in which the edit is sent; nil for the library's queue.
        package let key: String?
        /// The changes of the edit, by entity.
        package let changes: [(id: String, operation: LayerOperation)]
        /// The operations as submitted to the cache.
        package let operations: [TransactionOperation]
        /// True if the cache had the edit as soon as it was made. Otherwise it takes its place once the disk answers.
        package var isPrompt = false
        /// The number of the last attempt that arrived.
        package var attempt = 0
        /// The index of the log and the sequence at which the server performed the edit; nil if it did not.
        package var place: (log: Int, sequence: Int64)?
        /// The number of the arrival that performed the edit; nil if it was not performed.
        package var performedBy: Int?
        /// True if an answer was sent that settles the edit immediately.
        package var isConfirmed = false
        /// True if an answer was sent after which the edit waits for its log position.
        package var isAnswered = false
        /// How often the server refused the edit.
        package var refusalCount = 0
        /// How many logs the cache had left when the first answered request arrived.
        package var leftLogCount = 0
    }

    /// A request that arrived.
    package struct Arrival: Sendable {
        /// The pending id of the edit.
        package let pendingID: String
        /// The number of the arrival, from 1.
        package let number: Int
    }

    /// The edits by pending id; bounded by the inputs of the plan.
    package private(set) var edits: [String: Edit] = [:]
    /// The requests that arrived since the last check.
    package var arrivals: [Arrival] = []
    private var arrivalCount = 0
    /// The lines of performed edits that are not on the wire yet.
    var posted: [WireLine] = []
    /// The first violation that the server noticed.
    package private(set) var problem: String?
    /// True while requests and answers can get lost.
    package var hasFaults = true

    /// Registers an edit before the cache can send it.
    package mutating func know(_ pendingID: String, _ edit: Edit) { edits[pendingID] = edit }

    /// Records that the cache had the edit as soon as it was made.
    package mutating func notePrompt(_ pendingID: String) { edits[pendingID]?.isPrompt = true }

    /// Records that a request arrived.
    ///
    /// - Returns: The edit and the number of the arrival; nil for a request that must not exist.
    mutating func arrive(_ mutation: SentMutation) -> (edit: Edit, number: Int)? {
        let pendingID = mutation.pendingID.description
        guard let edit = edits[pendingID], edit.library == mutation.library.description else {
            note("the request of \(pendingID) came, which is no edit of \(mutation.library)")
            return nil
        }
        if mutation.attempt <= edit.attempt {
            note("attempt \(mutation.attempt) of \(pendingID) came after attempt \(edit.attempt)")
        }
        if mutation.changes != edit.operations || mutation.method != "edit" || mutation.input != Array("[1]".utf8) {
            note("attempt \(mutation.attempt) of \(pendingID) is another request: \(mutation)")
        }
        edits[pendingID]?.attempt = mutation.attempt
        arrivalCount += 1
        arrivals.append(Arrival(pendingID: pendingID, number: arrivalCount))
        return (edit, arrivalCount)
    }

    mutating func performed(_ pendingID: String, at place: (log: Int, sequence: Int64), by arrival: Int) {
        edits[pendingID]?.place = place
        edits[pendingID]?.performedBy = arrival
    }

    mutating func refused(_ pendingID: String) { edits[pendingID]?.refusalCount += 1 }

    mutating func answered(_ pendingID: String, confirms: Bool, askedAfter leftLogCount: Int) {
        if edits[pendingID]?.isAnswered != true { edits[pendingID]?.leftLogCount = leftLogCount }
        edits[pendingID]?.isAnswered = true
        if confirms { edits[pendingID]?.isConfirmed = true }
    }

    /// Follows a restored server: later edits were never performed, earlier ones are in the new branch of the log.
    package mutating func restore(_ library: String, from log: Int, to newLog: Int, through sequence: Int64) {
        for (pendingID, edit) in edits where edit.library == library {
            guard let place = edit.place, place.log == log else { continue }
            if place.sequence <= sequence {
                edits[pendingID]?.place?.log = newLog
            } else {
                edits[pendingID]?.place = nil
            }
        }
    }

    private mutating func note(_ problem: String) { self.problem = self.problem ?? "\(problem) (L2)" }
}

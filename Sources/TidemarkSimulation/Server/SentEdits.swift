import Tidemark
import TidemarkModel
import TidemarkTesting

/// The edits that a simulated server is asked to perform, and what it did about each.
///
/// The server performs one mutation of a pending id, in whatever attempt it comes. Its memory survives every crash of
/// the cache. Laws: L2.
package struct SentEdits: Sendable {
    /// One edit that the cache may send.
    package struct Edit: Sendable {
        package let library: String
        package let key: String?
        package let changes: [(id: String, operation: LayerOperation)]
        /// The changes as the cache was given them.
        package let operations: [TransactionOperation]
        /// Whether the cache had the edit as soon as it was made. Others have their place when the disk answers.
        package var isPrompt = false
        /// The number of the last attempt that came.
        package var attempt = 0
        /// The index of the log, and the place in it, at which the server performed the edit; nil when it did not.
        package var place: (log: Int, sequence: Int64)?
        /// The number of the arrival with which the edit was performed; nil when it was not.
        package var performedBy: Int?
        /// Whether an answer left that settles the edit at once.
        package var isConfirmed = false
        /// Whether an answer left that lets the edit wait for its place in the log.
        package var isAnswered = false
        package var refusalCount = 0
        /// The number of logs that the cache had left when a request came that was answered.
        package var leftLogCount = 0
    }

    /// One request that came.
    package struct Arrival: Sendable {
        package let pendingID: String
        package let number: Int
    }

    /// The edits by pending id; bounded by the inputs of the plan.
    package private(set) var edits: [String: Edit] = [:]
    /// The requests that came since the last check.
    package var arrivals: [Arrival] = []
    private var arrivalCount = 0
    /// The lines of performed edits that are not on the wire yet.
    var posted: [WireLine] = []
    /// The first violation that the server noticed.
    package private(set) var problem: String?
    /// Whether requests and answers get lost.
    package var hasFaults = true

    package mutating func know(_ pendingID: String, _ edit: Edit) { edits[pendingID] = edit }

    package mutating func notePrompt(_ pendingID: String) { edits[pendingID]?.isPrompt = true }

    /// Records that a request came.
    ///
    /// - Returns: The edit with the number of the arrival; nil for a request that must not be.
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

    /// Follows a server that went back: later edits were never performed, the others are in the new branch.
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

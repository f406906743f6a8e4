/// One step of a simulated world.
package struct SimulationInput: Hashable, Sendable {
    /// What an input does.
    package enum Kind: String, CaseIterable, Sendable {
        // Actions of the server.
        /// Changes one entity on the server.
        case change
        /// Changes several entities in one event.
        case batch
        /// Appends an event whose line is unusable.
        case poison
        /// Begins the log anew, in a new epoch.
        case restart
        /// Restores the server to an earlier sequence.
        case restore
        // Events of the transport.
        /// Delivers the next lines.
        case deliver
        /// Loses lines.
        case drop
        /// Delivers a line twice.
        case duplicate
        /// Delivers lines out of order.
        case reorder
        /// Delivers a line that is cut off.
        case truncate
        /// Delivers lines that are not events.
        case rubbish
        /// Delivers a heartbeat.
        case heartbeat
        /// Delivers events of the log once more.
        case lateCopy
        /// Delivers a line with a false sequence.
        case lie
        // Faults of upstreams.
        /// Makes the upstream's next answers faulty.
        case upstreamFault
        /// Makes the upstream's answers slow, or fast again.
        case upstreamLate
        /// Makes the next queries and document reads fail.
        case queryFault
        // Actions of hosts.
        /// Stores the result of a query.
        case put
        /// Reads a query from the network.
        case fetch
        /// Observes a query.
        case observe
        /// Cancels an observer.
        case cancel
        /// Stops or resumes the slow observer.
        case stall
        /// Invalidates the queries of a library.
        case invalidate
        /// Removes an entity on request.
        case remove
        /// Makes an optimistic edit.
        case update
        /// Performs or refuses an edit on the server.
        case answerUpdate
        /// Rolls an edit back.
        case rollBack
        /// Flushes the cache.
        case flush
        /// Lets up to 120 ms pass.
        case wait
        /// Lets 1 to 61 s pass.
        case waitLong
        // Faults and actions of the disk and the process.
        /// Stalls the disk, or ends the stall.
        case slowDisk
        /// Makes changes of the disk fail.
        case diskFails
        /// Makes the disk full.
        case diskFull
        /// Makes reads of the disk fail.
        case readFails
        /// Ends the process at a change of its disk.
        case stopAtChange
        /// Ends the process now.
        case kill
        /// Closes the cache and opens it again.
        case reopen
        // Actions of a GraphQL client; last, so that the draws of other schedules stay what they were.
        /// Stores a response to a document.
        case writeDocument
        /// Reads a document from the network.
        case fetchDocument
        /// Observes a document.
        case watchDocument
        /// Sends a mutation.
        case mutateDocument
        // Where answers race.
        /// Clears a library.
        case clear
    }

    /// The number in the plan, which identifies the input when a plan is reduced.
    package let number: Int
    /// What the input does.
    package let kind: Kind
    /// The seed of all draws for this input, so that they do not depend on which other inputs are kept.
    package let seed: UInt64
}

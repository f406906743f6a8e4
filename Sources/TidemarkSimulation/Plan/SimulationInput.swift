/// One step of a simulated world.
package struct SimulationInput: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        // Actions of the server.
        case change
        case batch
        case poison
        case restart
        case restore
        // Events of the transport.
        case deliver
        case drop
        case duplicate
        case reorder
        case truncate
        case rubbish
        case heartbeat
        case lateCopy
        case lie
        // Faults of upstreams.
        case upstreamFault
        case upstreamLate
        case queryFault
        // Actions of hosts.
        case put
        case fetch
        case observe
        case cancel
        case stall
        case invalidate
        case remove
        case update
        case answerUpdate
        case rollBack
        case flush
        case wait
        case waitLong
        // Faults and actions of the disk and the process.
        case slowDisk
        case diskFails
        case diskFull
        case readFails
        case stopAtChange
        case kill
        case reopen
        // Actions of a GraphQL client; last, so that the draws of other schedules stay what they were.
        case writeDocument
        case fetchDocument
        case watchDocument
        case mutateDocument
        // Where answers race.
        case clear
    }

    /// The place in the plan, which names the input when a plan is reduced.
    package let number: Int
    package let kind: Kind
    /// The seed of all draws for this input, so that they are the same, whatever other inputs are left out.
    package let seed: UInt64
}

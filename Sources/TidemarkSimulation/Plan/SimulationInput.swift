/// One thing that happens to a simulated world.
package struct SimulationInput: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        // What the server does.
        case change
        case batch
        case poison
        case restart
        case restore
        // What arrives.
        case deliver
        case drop
        case duplicate
        case reorder
        case truncate
        case rubbish
        case heartbeat
        case lateCopy
        case lie
        // What upstreams do.
        case upstreamFault
        case upstreamLate
        case queryFault
        // What hosts do.
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
        // What the disk and the process do.
        case slowDisk
        case diskFails
        case diskFull
        case readFails
        case stopAtChange
        case kill
        case reopen
    }

    /// Its place in the plan; names it when a plan is cut down.
    package let number: Int
    package let kind: Kind
    /// All that it draws is drawn from this: it is the same, whatever else is left out.
    package let seed: UInt64
}

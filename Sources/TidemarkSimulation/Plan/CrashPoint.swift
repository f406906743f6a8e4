import TidemarkFaultDisk

/// Where the first process of a simulation ends: at a change of its disk.
package struct CrashPoint: Hashable, Sendable {
    /// The number of the change, from 1.
    package let number: Int
    /// Whether the process ends before, during or after the change.
    package let moment: FaultDisk.Moment

    /// Creates a crash point. The number and the seed decide the moment, so that neighbours differ.
    package init(number: Int, seed: UInt64) {
        self.number = number
        let moments = FaultDisk.Moment.allCases
        moment = moments[Int((UInt64(number) &+ seed) % UInt64(moments.count))]
    }
}

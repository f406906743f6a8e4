import TidemarkFaultDisk

/// Where the first process of a simulation ends: at a change of its disk.
package struct CrashPoint: Hashable, Sendable {
    /// From 1 on.
    package let number: Int
    package let moment: FaultDisk.Moment

    /// A point, and which side of it, told by its number: neighbours lie on different sides.
    package init(number: Int, seed: UInt64) {
        self.number = number
        let moments = FaultDisk.Moment.allCases
        moment = moments[Int((UInt64(number) &+ seed) % UInt64(moments.count))]
    }
}

import TidemarkFaultDisk

/// The place where the first process of a simulation ends: at a change of its disk.
package struct CrashPoint: Hashable, Sendable {
    /// The number of the change, counted from 1.
    package let number: Int
    package let moment: FaultDisk.Moment

    /// Makes a point from the number of a change. The number and the seed decide the moment: neighbours have different
    /// ones.
    package init(number: Int, seed: UInt64) {
        self.number = number
        let moments = FaultDisk.Moment.allCases
        moment = moments[Int((UInt64(number) &+ seed) % UInt64(moments.count))]
    }
}

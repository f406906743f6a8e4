/// A call to the cache that may not have ended.
struct Underway {
    let name: String
    /// The number of the input that made the call.
    let input: Int
    /// True if the call delivers lines; while it waits, they may still take effect.
    let isDelivery: Bool
    /// The pending id of the layer that the call adds; nil for none.
    let lays: String?
    let isDone: () -> Bool
    /// Applies the effect that the call may have had, or certainly had.
    let effect: (inout WorldTruth, _ isCertain: Bool) -> Void
    /// Called after the call has ended.
    ///
    /// `isSure`: true if no other write or line was in progress at the same time, which could take effect later
    /// although it was made earlier.
    let finish: (_ world: Simulation, _ isSure: Bool) -> Void
    /// True if another write or line was in progress at the same time.
    var isOverlapped = false

    /// True if the call writes entities.
    var isWrite: Bool { name == "put" || name == "remove" || name == "commit" }
}

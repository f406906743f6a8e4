/// A call to the cache that may not have ended.
struct Underway {
    let name: String
    /// The number of the input that made the call.
    let input: Int
    /// Whether the call brings lines. While it waits, they may still take effect.
    let isDelivery: Bool
    /// The pending id of the layer that the call adds; nil when it adds none.
    let lays: String?
    let isDone: () -> Bool
    /// The effect that the call may have had, or certainly had.
    let effect: (inout WorldTruth, _ isCertain: Bool) -> Void
    /// Called after the call has ended.
    ///
    /// `isSure`: no other write, and no line, was under way at the same time, which might have come after the call
    /// though it was made before.
    let finish: (_ world: Simulation, _ isSure: Bool) -> Void
    /// Whether another write, or lines, were under way at the same time.
    var isOverlapped = false

    /// Whether the call writes entities of its own.
    var isWrite: Bool { name == "put" || name == "remove" || name == "commit" }
}

/// A call to the cache that may not have come to its end.
struct Underway {
    let name: String
    /// The input that began it.
    let input: Int
    /// Brings lines: while it waits, what was heard may take effect later.
    let isDelivery: Bool
    /// The layer that it lays.
    let lays: String?
    let isDone: () -> Bool
    /// What it may have done, or, when it is certain, did.
    let effect: (inout WorldTruth, _ isCertain: Bool) -> Void
    /// Called once it is done.
    ///
    /// `isSure`: no other write, and no line, was under way meanwhile, that may have come after it though it was asked for before.
    let finish: (_ world: Simulation, _ isSure: Bool) -> Void
    /// Another write was under way, or lines.
    var isOverlapped = false

    /// It writes entities of its own.
    var isWrite: Bool { name == "put" || name == "remove" || name == "commit" }
}

import TidemarkModel

/// One action of a repair, with the advice that follows from it.
public struct RepairStep: Hashable, Sendable, CustomStringConvertible {
    /// The action in one sentence. Names in it may contain characters that are not printable.
    public var what: String
    /// The user's next action; empty when none is needed.
    public var advice: String

    init(_ what: String, advice: String = "") {
        self.what = what
        self.advice = advice
    }

    public var description: String { advice.isEmpty ? what : "\(what); \(advice)" }
}

/// The result of a repair.
public struct RepairReport: Sendable {
    /// The result of `verify` before the repair.
    public var before: VerifyReport
    /// The result of `verify` after the repair; the same as `before` when nothing was done.
    public var after: VerifyReport
    /// The actions in order; empty for a file that was sound. There are at most ``stepCountMax``, and one more that
    /// counts the rest.
    public var steps: [RepairStep] = []
    /// The path to which the damaged file was moved; nil when nothing was done.
    public var movedTo: String?

    /// The maximum number of actions that are reported: 1,000.
    public static let stepCountMax = 1_000
}

import TidemarkModel

/// One action of a repair, and what the user can do about it.
public struct RepairStep: Hashable, Sendable, CustomStringConvertible {
    /// The action in one sentence. Names in it may contain characters that are not printable.
    public var what: String
    /// The user's next action; empty when none is needed.
    public var advice: String

    /// Creates a step, for repairs that another module makes.
    package init(_ what: String, advice: String = "") {
        self.what = what
        self.advice = advice
    }

    /// The action and the advice in one line.
    public var description: String { advice.isEmpty ? what : "\(what); \(advice)" }
}

/// The result of a repair.
public struct RepairReport: Sendable {
    /// The result of `verify` before the repair.
    public var before: VerifyReport
    /// The result of `verify` after the repair; the same as `before` when nothing was done.
    public var after: VerifyReport
    /// The actions in order; empty for a file that was sound. At most ``stepCountMax``, and one more that counts the
    /// rest.
    public var steps: [RepairStep] = []
    /// The path to which the damaged file was moved; nil when nothing was done.
    public var movedTo: String?

    /// The most actions that are reported one by one: 1,000.
    public static let stepCountMax = 1_000
}

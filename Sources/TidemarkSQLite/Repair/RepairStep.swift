import TidemarkModel

/// One thing that a repair did, and what it leaves to the user.
public struct RepairStep: Hashable, Sendable, CustomStringConvertible {
    /// What was done, in one sentence; names in it are not made printable.
    public var what: String
    /// What the user has to do now; empty for nothing.
    public var advice: String

    init(_ what: String, advice: String = "") {
        self.what = what
        self.advice = advice
    }

    public var description: String { advice.isEmpty ? what : "\(what); \(advice)" }
}

/// What a repair found, did, and left.
public struct RepairReport: Sendable {
    /// What `verify` found before.
    public var before: VerifyReport
    /// What it finds now; the same when nothing was done.
    public var after: VerifyReport
    /// In order; empty for a file that was sound. At most ``stepCountMax``, and one that counts the rest.
    public var steps: [RepairStep] = []
    /// Where the damaged file lies now; nil when nothing was done.
    public var movedTo: String?

    /// Steps that are told: 1,000.
    public static let stepCountMax = 1_000
}

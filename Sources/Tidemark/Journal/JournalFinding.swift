import TidemarkModel

/// One finding of an examination: what was noticed, where, and what to do.
///
/// - Source: Protocol/sessions.md, doctor.findings.
public struct JournalFinding: Hashable, Sendable {
    /// The severity of a finding; a worse one is greater.
    public enum Level: Int, Hashable, Sendable, Comparable, CaseIterable {
        case ok
        case note
        case warning
        case problem

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    public var level: Level
    /// The part of the system that the finding is about.
    public var topic: String
    /// The code by which programs recognize the finding.
    public var code: String
    /// One sentence for people.
    public var what: String
    /// A file, a library or a type; empty when ``what`` names it.
    public var place: String
    /// The action to take; empty when none is needed.
    public var advice: String

    public init(
        _ level: Level, topic: String, code: String, _ what: String, at place: String = "", advice: String = ""
    ) {
        self.level = level
        self.topic = topic
        self.code = code
        self.what = what
        self.place = place
        self.advice = advice
    }
}

import TidemarkModel

/// One finding of an examination: what was noticed, where, and what to do about it.
///
/// - Source: Protocol/sessions.md, doctor.findings.
public struct JournalFinding: Hashable, Sendable {
    /// The severity of a finding; a more severe level is greater.
    public enum Level: Int, Hashable, Sendable, Comparable, CaseIterable {
        /// The check passed.
        case ok
        /// Worth knowing; nothing needs to be done.
        case note
        /// Something needs attention soon.
        case warning
        /// Something is broken and needs action.
        case problem

        /// Orders levels by severity.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The severity.
    public var level: Level
    /// The part of the system that the finding is about.
    public var topic: String
    /// A stable code, by which programs recognize the finding.
    public var code: String
    /// What was noticed, in one sentence.
    public var what: String
    /// A file, a library or a type; empty when ``what`` names it.
    public var place: String
    /// What to do; empty when nothing is needed.
    public var advice: String

    /// Makes a finding.
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

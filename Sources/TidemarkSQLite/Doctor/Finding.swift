/// One finding of an ``Examination``: what was noticed, where, and what to do.
///
/// - Source: docs/operating.md, looking for trouble.
public struct Finding: Hashable, Sendable {
    /// The severity of a finding. Levels are ordered: a worse one is greater.
    public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
        /// Everything is as it should be.
        case ok
        /// Good to know; no action is needed.
        case note
        /// Nothing is wrong yet, but something may become wrong.
        case warning
        /// Something is damaged, lost or refused.
        case problem

        /// True if the left level is less severe than the right one.
        public static func < (left: Level, right: Level) -> Bool {
            left.rank < right.rank
        }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .note: 1
            case .warning: 2
            case .problem: 3
            }
        }
    }

    /// The part of the system that a finding is about.
    public enum Topic: String, Hashable, Sendable, CaseIterable {
        /// The main file, and the result of SQLite's checks.
        case file
        /// SQLite, the file system, free space and permissions.
        case machine
        /// The lock, the log and other files beside the main file.
        case neighbours
        /// The contents of the file.
        case contents
    }

    /// How severe the finding is.
    public var level: Level
    /// The part of the system that the finding is about.
    public var topic: Topic
    /// The code by which programs recognize the finding.
    public var code: FindingCode
    /// The finding in one sentence for people. Names in it may contain characters that are not printable.
    public var what: String
    /// The file, library or type that the finding is about; empty when `what` names it.
    public var place: String
    /// What to do; empty when nothing is needed.
    public var advice: String

    init(
        _ level: Level, _ topic: Topic, _ code: FindingCode, _ what: String, at place: String = "", advice: String = ""
    ) {
        self.level = level
        self.topic = topic
        self.code = code
        self.what = what
        self.place = place
        self.advice = advice
    }
}

/// One thing that an examination of a data file noticed: what, where, and what to do.
///
/// - Source: docs/operating.md, looking for trouble.
public struct Finding: Hashable, Sendable {
    /// How much it matters. Ordered: what is worse is greater.
    public enum Level: String, Hashable, Sendable, CaseIterable, Comparable {
        /// As it should be.
        case ok
        /// Good to know; nothing has to be done.
        case note
        /// Nothing is wrong yet, and something may become so.
        case warning
        /// Something is damaged, lost or refused.
        case problem

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

    /// What part of the world it is about.
    public enum Topic: String, Hashable, Sendable, CaseIterable {
        /// The main file, and what SQLite says of it.
        case file
        /// SQLite, the file system, room and rights.
        case machine
        /// Lock, log and what lies beside the main file.
        case neighbours
        /// What the file holds.
        case contents
    }

    public var level: Level
    public var topic: Topic
    public var code: FindingCode
    /// One sentence for people; names in it are not made printable.
    public var what: String
    /// A file, a library, a type; empty when `what` says it.
    public var place: String
    /// What to do; empty when nothing is to be done.
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

import Tidemark

/// A stream as its server describes it.
public struct StreamStatus: Hashable, Sendable {
    public var name: String
    /// The time when the stream was made, as the server writes it (RFC 3339).
    public var created: String
    public var subjects: [String]
    public var messageCount: Int64
    public var byteCount: Int64
    /// The numbers of the first and the last message; of an empty stream the first is one above the last.
    public var firstSequence: Int64
    public var lastSequence: Int64
    public var replicaCount: Int
    /// `file` or `memory`.
    public var storage: String
    /// -1: no bound.
    public var byteCountMax: Int64
    /// The largest age of a message in nanoseconds; 0: no bound.
    public var ageMax: Int64
    /// The time in which a repeated message is recognized, in nanoseconds.
    public var duplicateWindow: Int64
    public var allowsDirectGets: Bool
    /// The server that leads a clustered stream; nil for one that is not clustered, and during an election.
    public var leader: String?

    /// The name of the stream's log: another stream of the same name has another one.
    public var epoch: String { "\(name)@\(created)" }

    /// Whether the stream has one subject without wildcards: then every number of it is of that subject.
    var hasOneSubject: Bool { subjects.count == 1 && !subjects[0].contains("*") && !subjects[0].contains(">") }

    /// Whether the stream stores messages of a subject.
    func admits(_ subject: String) -> Bool {
        let tokens = subject.split(separator: ".", omittingEmptySubsequences: false)
        return subjects.contains { pattern in
            let parts = pattern.split(separator: ".", omittingEmptySubsequences: false)
            let isOpen = parts.last == ">"
            let fixed = isOpen ? parts.dropLast() : parts[...]
            return (isOpen ? tokens.count > fixed.count : tokens.count == fixed.count)
                && zip(fixed, tokens).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }

    /// Reads the answer of `STREAM.INFO` or `STREAM.CREATE`; nil when it is not of that form.
    init?(_ answer: JSONValue) {
        guard let config = answer["config"], let state = answer["state"], let name = config["name"]?.string,
            let created = answer["created"]?.string, let last = state["last_seq"]?.int64
        else { return nil }
        self.name = name
        self.created = created
        subjects = (config["subjects"]?.elements ?? []).compactMap(\.string)
        messageCount = state["messages"]?.int64 ?? 0
        byteCount = state["bytes"]?.int64 ?? 0
        lastSequence = last
        firstSequence = max(1, state["first_seq"]?.int64 ?? 1)
        if messageCount == 0 { firstSequence = last + 1 }
        replicaCount = config["num_replicas"]?.int ?? 1
        storage = config["storage"]?.string ?? "file"
        byteCountMax = config["max_bytes"]?.int64 ?? -1
        ageMax = config["max_age"]?.int64 ?? 0
        duplicateWindow = config["duplicate_window"]?.int64 ?? 0
        allowsDirectGets = config["allow_direct"]?.bool ?? false
        leader = answer["cluster"]?["leader"]?.string
    }
}

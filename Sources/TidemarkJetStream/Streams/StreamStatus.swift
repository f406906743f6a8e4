import Tidemark

/// The settings and state of a stream, as reported by its server.
public struct StreamStatus: Hashable, Sendable {
    /// The stream's name.
    public var name: String
    /// When the stream was created, as the server writes it (RFC 3339).
    public var created: String
    /// The subjects that the stream stores, with wildcards.
    public var subjects: [String]
    /// How many messages the stream has.
    public var messageCount: Int64
    /// The bytes that its messages take at the server.
    public var byteCount: Int64
    /// The sequence of the first message; one above ``lastSequence`` when the stream is empty.
    public var firstSequence: Int64
    /// The sequence of the last message ever stored; 0 before the first.
    public var lastSequence: Int64
    /// How many servers store a copy.
    public var replicaCount: Int
    /// Where messages are stored: `file` or `memory`.
    public var storage: String
    /// The most bytes of the stream; -1 for no bound.
    public var byteCountMax: Int64
    /// How long a message is kept, in nanoseconds; 0 for no bound.
    public var ageMax: Int64
    /// For how long a repeated message id is recognized, in nanoseconds.
    public var duplicateWindow: Int64
    /// True if any server of the stream may respond to lookups of single messages, not only the leader.
    public var allowsDirectGets: Bool
    /// The server that leads a clustered stream; nil if it is not clustered, and during an election.
    public var leader: String?

    /// The epoch of the libraries' logs in this stream: its name and creation time. A recreated stream has another
    /// epoch.
    public var epoch: String { "\(name)@\(created)" }

    /// True if the stream has a single subject without wildcards, so that every sequence belongs to that subject.
    var hasOneSubject: Bool { subjects.count == 1 && !subjects[0].contains("*") && !subjects[0].contains(">") }

    /// True if the stream stores messages of the subject.
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

    /// Parses the response to `STREAM.INFO` or `STREAM.CREATE`; nil when a required member is missing.
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

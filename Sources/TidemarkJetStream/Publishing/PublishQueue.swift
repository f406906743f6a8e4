/// The lines that were sent and are not confirmed, in order, with the sequence that each must follow in its subject.
///
/// Each message names the sequence of its subject's last message, and the server refuses it if another message came
/// between. So a message that is sent ahead cannot overtake one that was lost. The sequences of unconfirmed messages
/// are predicted: in a stream with one publisher the next message gets the next sequence. A message with a prediction
/// also names the sequence of the stream's last message, so that it is stored under the predicted sequence or not at
/// all. Without that, a message of another publisher would shift the sequences, and a prediction might be right for the
/// wrong message. A wrong prediction costs a refusal, never the order.
///
/// A pure value: it sends nothing.
struct PublishQueue {
    /// A line that was sent.
    struct Sent {
        var line: PublishLine
        /// The sequence of the subject's last message before it.
        var expected: Int64
        /// The sequence that the message will probably get; nil when unknown.
        var predicted: Int64?
        var outcome: Outcome?
    }

    /// The server's response to a line.
    enum Outcome: Equatable {
        /// The server stored the line.
        case stored(sequence: Int64)
        /// The stream already had a message with the id of the line.
        case duplicate(sequence: Int64)
        /// The server refused the line: its subject's last message is not the expected one.
        case outOfOrder
    }

    /// What must happen before a line can be sent.
    enum Readiness: Equatable {
        /// The line can be sent, with the expected sequence of its subject's last message; 0 for none.
        case ready(expected: Int64)
        /// The subject's last sequence is unknown: request it, and call ``learn(_:last:)``.
        case needsLast
        /// A line that was sent must be confirmed first.
        case mustWait
    }

    static let countMax = 256
    static let byteCountMax = 2 << 20
    /// The most subjects whose last sequences are kept.
    static let subjectCountMax = 65_536
    /// How many lines are sent without predictions after a failed attempt.
    static let cautiousCount = 512

    /// The unconfirmed lines, oldest first.
    private(set) var sent: [Sent] = []
    /// The number of the oldest unconfirmed line, counted from the first line ever sent.
    private(set) var firstNumber = 0
    private var byteCount = 0
    /// The sequence of the last confirmed message, by subject.
    private var lasts: [String: Int64] = [:]
    /// The sequence that the stream's next message will probably get; nil when unknown.
    private var nextPrediction: Int64?
    /// How many more lines are sent without predictions.
    private var cautiousLeft = 0
    private let isShared: Bool

    init(isShared: Bool) { self.isShared = isShared }

    var isEmpty: Bool { sent.isEmpty }

    /// True if the server refused a line because of its order.
    var hasRefused: Bool { sent.contains { $0.outcome == .outOfOrder } }

    /// True if every line that was sent has its outcome.
    var isDecided: Bool { sent.allSatisfy { $0.outcome != nil } }

    /// The number of sent lines without an outcome.
    var undecidedCount: Int { sent.count { $0.outcome == nil } }

    /// Returns whether a line can be sent now, or what must happen first.
    mutating func readiness(of line: PublishLine) -> Readiness {
        if sent.count >= PublishQueue.countMax || byteCount + line.bytes.count > PublishQueue.byteCountMax,
            !sent.isEmpty
        {
            return .mustWait
        }
        if let before = sent.last(where: { $0.line.subject == line.subject }) {
            guard !isShared, cautiousLeft == 0, let predicted = before.predicted else { return .mustWait }
            return .ready(expected: predicted)
        }
        if let last = lasts[line.subject] { return .ready(expected: last) }
        if lasts.count >= PublishQueue.subjectCountMax {
            guard sent.isEmpty else { return .mustWait }
            lasts = [:]
        }
        return .needsLast
    }

    /// Records the sequence of a subject's last message; 0 when it has none.
    mutating func learn(_ subject: String, last: Int64) { lasts[subject] = last }

    /// Appends a line that is being sent.
    ///
    /// - Returns: The line's number, which its response names, and the sequence that the stream's last message must
    ///   have; nil when any sequence is accepted.
    mutating func append(_ line: PublishLine, expected: Int64) -> (number: Int, streamLast: Int64?) {
        byteCount += line.bytes.count
        if cautiousLeft > 0 {
            cautiousLeft -= 1
            nextPrediction = nil
        }
        let predicted = nextPrediction
        sent.append(Sent(line: line, expected: expected, predicted: predicted, outcome: nil))
        if let predicted { nextPrediction = predicted + 1 }
        return (firstNumber + sent.count - 1, predicted.map { $0 - 1 })
    }

    /// Records the response to a line. Responses to lines that are no longer in the queue are ignored.
    mutating func answered(_ number: Int, _ outcome: Outcome) {
        let index = number - firstNumber
        guard sent.indices.contains(index), sent[index].outcome == nil else { return }
        sent[index].outcome = outcome
        guard case .stored(let sequence) = outcome else { return }
        if nextPrediction == nil, index == sent.count - 1, !isShared { nextPrediction = sequence + 1 }
    }

    /// Replaces the outcome of a refused line that turned out to be stored.
    mutating func correct(_ number: Int, _ outcome: Outcome) {
        let index = number - firstNumber
        if sent.indices.contains(index) { sent[index].outcome = outcome }
    }

    /// Removes and returns the confirmed lines at the front, in order.
    mutating func takeConfirmed() -> [Sent] {
        let count = sent.prefix { $0.outcome != nil && $0.outcome != .outOfOrder }.count
        guard count > 0 else { return [] }
        let confirmed = Array(sent.prefix(count))
        for line in confirmed {
            confirm(line)
            byteCount -= line.line.bytes.count
        }
        sent.removeFirst(count)
        firstNumber += count
        return confirmed
    }

    private mutating func confirm(_ line: Sent) {
        switch line.outcome {
        case .stored(let sequence): lasts[line.line.subject] = sequence
        case .duplicate(let sequence):
            // A duplicate may be an old message: the subject may have later ones.
            lasts[line.line.subject] = max(lasts[line.line.subject] ?? 0, sequence)
        case .outOfOrder, nil: return
        }
    }

    /// Empties the queue after a missing response or a refusal. The next `cautiousCount` lines get no predictions.
    ///
    /// A stored line also confirms the line before it in its subject, whose response was lost, because it expected that
    /// line's sequence.
    ///
    /// - Returns: The confirmed lines, and those to send again, each in order.
    mutating func endAttempts() -> (confirmed: [Sent], unconfirmed: [PublishLine]) {
        confirmPredecessors()
        let all = sent
        firstNumber += all.count
        sent = []
        byteCount = 0
        nextPrediction = nil
        cautiousLeft = PublishQueue.cautiousCount
        let confirmed = all.filter { $0.outcome != nil && $0.outcome != .outOfOrder }
        for line in confirmed { confirm(line) }
        return (confirmed, all.filter { $0.outcome == nil || $0.outcome == .outOfOrder }.map(\.line))
    }

    private mutating func confirmPredecessors() {
        /// The sequences that later, stored lines expected, by subject.
        var expected: [String: Int64] = [:]
        for index in sent.indices.reversed() {
            let subject = sent[index].line.subject
            if sent[index].outcome == nil, let predicted = sent[index].predicted, expected[subject] == predicted {
                sent[index].outcome = .stored(sequence: predicted)
            }
            if case .stored = sent[index].outcome { expected[subject] = sent[index].expected }
        }
    }
}

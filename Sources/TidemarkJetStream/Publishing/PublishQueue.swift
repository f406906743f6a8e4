/// The lines that were sent and are not confirmed, in order, and the number that each must follow in its subject.
///
/// A message is sent with the number of its subject's last message; the server refuses it when another one came
/// between. A message that is sent ahead cannot overtake one that was lost on the way. The numbers of messages that are
/// not confirmed are predicted: in a stream with one publisher the next message has the next number. A message with a
/// prediction names the number of the stream's last message too, so that it is stored under the predicted number or not
/// at all: without that, a message of another publisher shifts the numbers, and a prediction may be right for the wrong
/// message. A wrong prediction costs a refusal, and no order.
///
/// A pure value: it sends nothing.
struct PublishQueue {
    /// A line under way.
    struct Sent {
        var line: PublishLine
        /// The number of the subject's last message before it.
        var expected: Int64
        /// The number that the message will probably get.
        var predicted: Int64?
        var outcome: Outcome?
    }

    /// The server's answer to a line.
    enum Outcome: Equatable {
        case stored(sequence: Int64)
        case duplicate(sequence: Int64)
        /// The subject's last message is another one than expected.
        case outOfOrder
    }

    /// The step before a line is sent.
    enum Readiness: Equatable {
        case ready(expected: Int64)
        /// The subject's last number is not known: ask for it, and call ``learn(_:last:)``.
        case needsLast
        /// Something under way must be confirmed first.
        case mustWait
    }

    static let countMax = 256
    static let byteCountMax = 2 << 20
    /// The subjects whose last numbers are kept.
    static let subjectCountMax = 65_536
    /// The lines that are sent without predictions after a wrong one.
    static let cautiousCount = 512

    /// The lines under way, oldest first.
    private(set) var sent: [Sent] = []
    /// The number of the oldest line under way, counted from the first one ever.
    private(set) var firstNumber = 0
    private var byteCount = 0
    /// The number of the last message of each subject that was confirmed.
    private var lasts: [String: Int64] = [:]
    /// The number that the next message of the stream will probably get; nil: unknown.
    private var nextPrediction: Int64?
    /// The lines that are still to be sent without predictions.
    private var cautiousLeft = 0
    private let isShared: Bool

    init(isShared: Bool) { self.isShared = isShared }

    var isEmpty: Bool { sent.isEmpty }

    /// Whether a line under way was refused because of its order.
    var hasRefused: Bool { sent.contains { $0.outcome == .outOfOrder } }

    /// Whether every line under way has its outcome.
    var isDecided: Bool { sent.allSatisfy { $0.outcome != nil } }

    /// The number of lines under way without an outcome.
    var undecidedCount: Int { sent.count { $0.outcome == nil } }

    /// Tells whether a line can be sent now.
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

    /// Notes the number of a subject's last message; 0 when it has none.
    mutating func learn(_ subject: String, last: Int64) { lasts[subject] = last }

    /// Notes that a line is sent.
    ///
    /// - Returns: Its number among all lines, by which its answer is told, and the number that the stream's last
    ///   message must have; nil: any.
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

    /// Notes an answer. The answer to a line that is not under way any more is passed over.
    mutating func answered(_ number: Int, _ outcome: Outcome) {
        let index = number - firstNumber
        guard sent.indices.contains(index), sent[index].outcome == nil else { return }
        sent[index].outcome = outcome
        guard case .stored(let sequence) = outcome else { return }
        if nextPrediction == nil, index == sent.count - 1, !isShared { nextPrediction = sequence + 1 }
    }

    /// Replaces the outcome of a refused line, which turned out to be stored.
    mutating func correct(_ number: Int, _ outcome: Outcome) {
        let index = number - firstNumber
        if sent.indices.contains(index) { sent[index].outcome = outcome }
    }

    /// Removes the confirmed lines from the front.
    ///
    /// - Returns: Them, with their outcomes.
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
            // An old message: the subject may have later ones.
            lasts[line.line.subject] = max(lasts[line.line.subject] ?? 0, sequence)
        case .outOfOrder, nil: return
        }
    }

    /// Ends everything under way after an answer was missing or refused. Predictions are off for a while.
    ///
    /// A line that was stored confirms the one before it in its subject, whose answer was lost: it expected that one's
    /// number.
    ///
    /// - Returns: The confirmed lines, and those that must be sent again, each in order.
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
        /// The numbers that later lines expected, by subject, where they were stored.
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

import Dispatch
import Synchronization
import Tidemark
import TidemarkModel

/// Publishes lines to a stream in order. Server failures cause no loss, no duplicates and no reordering.
///
/// Lines are sent ahead of their confirmations, as ``PublishQueue`` explains. After a refusal or a missing response, it
/// waits for the outcome of everything sent, then sends each unconfirmed line again by itself. Use it from one thread,
/// which may block.
package struct StreamPublisher {
    private let address: JetStreamAddress
    private let settings: PublishSettings
    private let connection: NatsConnection
    private let api: JetStreamAPI
    private let inbox: String
    private let answers: NatsSubscription
    /// The responses being read.
    private let batch = NatsBatch()
    /// The stream's state when publishing began.
    private let stream: StreamStatus
    private var queue: PublishQueue
    private var patience: PublishPatience
    private let isStopped: @Sendable () -> Bool
    /// The counts so far.
    package private(set) var summary = PublishSummary()
    /// The line number, from 1, up to which all lines are confirmed or skipped; 0 before the first.
    package private(set) var confirmedLine: Int64 = 0

    /// How long to wait for a response, in milliseconds.
    private static let answerTimeout: Int64 = 2_000
    /// How long to wait for the stream's status, in milliseconds.
    private static let statusTimeout: Int64 = 1_000

    /// The result of reading the responses.
    private enum Answers {
        /// At least one response was read.
        case some
        /// No response arrived in time.
        case none
        /// No response will arrive: no leader stores the message, or the connection is lost. The line stays undecided.
        case lost(JetStreamError)
    }

    /// Connects, and requests the stream's status.
    ///
    /// - Parameter isStopped: Returns true once a signal has ended the run; nothing is retried from then on.
    /// - Throws: ``JetStreamError``; `.noServer` after ``PublishSettings/patience``.
    package init(
        _ address: JetStreamAddress, _ settings: PublishSettings, isStopped: @escaping @Sendable () -> Bool
    ) throws(JetStreamError) {
        self.address = address
        self.settings = settings
        self.isStopped = isStopped
        let silenceMax = Duration.milliseconds(Int64(settings.patience * 1_000))
        patience = PublishPatience(silenceMax)
        let deadline = ContinuousClock.now + silenceMax
        func patiently<Value>(_ body: () throws(JetStreamError) -> Value) throws(JetStreamError) -> Value {
            while true {
                do throws(JetStreamError) {
                    return try body()
                } catch {
                    guard error.code == .noServer || error.code == .timedOut || error.code == .noJetStream,
                        ContinuousClock.now < deadline, !isStopped()
                    else { throw error }
                    StreamPublisher.pause()
                }
            }
        }
        let connection = try patiently { () throws(JetStreamError) in try NatsConnection(address) }
        self.connection = connection
        let api = JetStreamAPI(connection: connection)
        self.api = api
        inbox = try connection.newInbox()
        answers = try connection.subscribe("\(inbox).*")
        queue = PublishQueue(isShared: settings.isShared)
        stream = try patiently { () throws(JetStreamError) in try api.status(of: address.stream) }
    }

    /// Publishes the events of a batch of lines. Lines that are no event are skipped and counted.
    ///
    /// - Throws: ``JetStreamError``; `.messageTooLarge` names the line.
    package mutating func publish(_ batch: EventBatch) throws(JetStreamError) {
        summary.lineCount += Int64(batch.lines.count)
        summary.skippedCount += Int64(batch.controlCount)
        for event in batch.events {
            guard let line = PublishLine(event, of: batch, prefix: address.prefix, settings) else {
                summary.skippedCount += 1
                continue
            }
            guard line.bytes.count <= connection.payloadByteCountMax else {
                guard settings.skipsOversize else { throw tooLarge(line) }
                summary.skippedCount += 1
                continue
            }
            try send(line)
        }
        try collect(timeout: 0)
    }

    /// Waits until every line that was sent is confirmed.
    ///
    /// - Throws: ``JetStreamError``.
    package mutating func finish() throws(JetStreamError) {
        while !queue.isEmpty { try collect(timeout: StreamPublisher.answerTimeout) }
        confirmedLine = summary.lineCount
    }

    private mutating func send(_ line: PublishLine) throws(JetStreamError) {
        while true {
            switch queue.readiness(of: line) {
            case .ready(let expected):
                let (number, streamLast) = queue.append(line, expected: expected)
                do throws(JetStreamError) {
                    try transmit(line, expected: expected, streamLast, number)
                } catch {
                    try recover()
                }
                if number % 32 == 0 { try collect(timeout: 0) }
                return
            case .needsLast: try learnLast(of: line.subject)
            case .mustWait: try collect(timeout: StreamPublisher.answerTimeout)
            }
        }
    }

    private func transmit(
        _ line: PublishLine, expected: Int64, _ streamLast: Int64?, _ number: Int
    ) throws(JetStreamError) {
        var headers = [(name: "Nats-Expected-Last-Subject-Sequence", value: String(expected))]
        if let streamLast { headers.append((name: "Nats-Expected-Last-Sequence", value: String(streamLast))) }
        if let id = line.id { headers.append((name: "Nats-Msg-Id", value: id)) }
        try connection.publish(line.bytes, to: line.subject, reply: "\(inbox).\(number)", headers: headers)
    }

    /// Confirms lines by the responses received so far, and recovers after a loss or refusal.
    ///
    /// - Parameter timeout: How long to wait for the first response, in milliseconds; 0 does not wait.
    private mutating func collect(timeout: Int64) throws(JetStreamError) {
        guard !queue.isEmpty else { return }
        var isAny = false
        var isLost = false
        look: while true {
            switch try noteAnswers(timeout: isAny ? 0 : timeout) {
            case .some: isAny = true
            case .none: break look
            case .lost:
                isLost = true
                break look
            }
        }
        confirm(queue.takeConfirmed())
        if isLost || queue.hasRefused || !isAny && timeout > 0 { try recover() }
    }

    /// Records the responses received so far in the queue.
    ///
    /// - Parameter timeout: How long to wait for the first response, in milliseconds; 0 does not wait.
    /// - Throws: ``JetStreamError`` that does not pass by itself.
    private mutating func noteAnswers(timeout: Int64) throws(JetStreamError) -> Answers {
        // After an error, the last batch may have unread responses.
        if batch.unreadCount == 0 {
            do throws(JetStreamError) {
                guard try answers.receive(into: batch, timeout: timeout) else { return .none }
            } catch {
                guard error.mayPass else { throw error }
                return .lost(error)
            }
        }
        while let message = batch.next() { try note(message) }
        return .some
    }

    private mutating func note(_ message: NatsMessageView) throws(JetStreamError) {
        guard
            let number = message.subject.split(separator: UInt8(ascii: ".")).last
                .flatMap({ Int(String(decoding: $0, as: UTF8.self)) }), !message.isEmpty
        else { return }
        let answer: JSONValue
        do throws(JSONSyntaxError) {
            answer = try JSONValue(parsing: message.bytes)
        } catch {
            return
        }
        if let sequence = answer["seq"]?.int64, answer["error"] == nil {
            let isDuplicate = answer["duplicate"]?.bool ?? false
            queue.answered(number, isDuplicate ? .duplicate(sequence: sequence) : .stored(sequence: sequence))
            patience.succeeded()
        } else if let error = answer["error"] {
            let known = JetStreamAPI.error(error, address)
            switch known.code {
            case .otherPublisher:
                queue.answered(number, .outOfOrder)
                patience.succeeded()
            case .timedOut, .noJetStream, .noServer: break
            default:
                // The lines before it already have their responses.
                confirm(queue.takeConfirmed())
                throw known
            }
        }
    }

    private mutating func confirm(_ lines: [PublishQueue.Sent]) {
        for line in lines {
            switch line.outcome {
            case .stored(let sequence):
                summary.publishedCount += 1
                summary.lastSequence = max(summary.lastSequence ?? 0, sequence)
            case .duplicate(let sequence):
                summary.duplicateCount += 1
                summary.lastSequence = max(summary.lastSequence ?? 0, sequence)
            case .outOfOrder, nil: continue
            }
            confirmedLine = line.line.number
        }
    }

    /// Waits for the outcomes of everything sent, then sends each unconfirmed line again by itself.
    private mutating func recover() throws(JetStreamError) {
        let deadline = ContinuousClock.now + .milliseconds(StreamPublisher.answerTimeout)
        // Each loss ends the wait for one line; libnats does not say which.
        var lostCount = 0
        while queue.undecidedCount > lostCount, !connection.isClosed, ContinuousClock.now < deadline {
            if case .lost = try noteAnswers(timeout: 100) { lostCount += 1 }
        }
        let ended = queue.endAttempts()
        confirm(ended.confirmed)
        for line in ended.unconfirmed { try sendAlone(line) }
    }

    /// Sends one line until it is confirmed.
    private mutating func sendAlone(_ line: PublishLine) throws(JetStreamError) {
        while true {
            var failure: JetStreamError?
            do throws(JetStreamError) {
                if case .needsLast = queue.readiness(of: line) { try learnLast(of: line.subject) }
                guard case .ready(let expected) = queue.readiness(of: line) else {
                    // The queue is empty, and the subject's last sequence is known by now.
                    preconditionFailure("a line that is alone has to wait")
                }
                let (number, streamLast) = queue.append(line, expected: expected)
                try transmit(line, expected: expected, streamLast, number)
                let deadline = ContinuousClock.now + .milliseconds(StreamPublisher.answerTimeout)
                while !queue.isDecided, failure == nil, ContinuousClock.now < deadline {
                    if case .lost(let error) = try noteAnswers(timeout: 100) { failure = error }
                }
                if queue.hasRefused { try examine(line, number, after: expected) }
            } catch {
                guard error.mayPass else { throw error }
                failure = error
            }
            let ended = queue.endAttempts()
            confirm(ended.confirmed)
            if !ended.confirmed.isEmpty { return }
            try connection.checkPermission(line.subject)
            try wait(after: failure)
        }
    }

    /// Finds out why a line was refused. The message after the expected one is either the line itself, whose response
    /// was lost, or another publisher's.
    private mutating func examine(
        _ line: PublishLine, _ number: Int, after expected: Int64
    ) throws(JetStreamError) {
        if let next = try api.message(of: line.subject, from: expected + 1, in: address.stream) {
            if next.body == line.bytes { return queue.correct(number, .stored(sequence: next.sequence)) }
            guard settings.isShared else {
                throw JetStreamError(
                    .otherPublisher,
                    "line \(line.number) was refused: another publisher wrote message \(next.sequence) to its library",
                    advice: "stop the other one, or pass --shared")
            }
        }
        try learnLast(of: line.subject)
    }

    private mutating func learnLast(of subject: String) throws(JetStreamError) {
        guard stream.admits(subject) else {
            throw JetStreamError(
                .differentStream,
                "the stream \(stream.name) does not store \(subject): it has \(stream.subjects.joined(separator: ", "))",
                advice: "write the beginning of its subjects as ?prefix=…, or take another stream")
        }
        while true {
            do throws(JetStreamError) {
                return queue.learn(subject, last: try api.lastSequence(of: subject, in: address.stream) ?? 0)
            } catch {
                guard error.mayPass else { throw error }
                try wait(after: error)
            }
        }
    }

    /// Pauses before the next attempt.
    ///
    /// - Parameter failure: Why the last attempt failed; nil if there was no response.
    /// - Throws: ``JetStreamError`` once patience has run out or a signal has ended the run: `.noStream` for a stream
    ///   that was deleted, else `.noServer`.
    private mutating func wait(after failure: JetStreamError?) throws(JetStreamError) {
        let trouble = try trouble(failure)
        if !isStopped(), patience.failed(trouble, at: .now) == .tryAgain { return StreamPublisher.pause() }
        switch trouble {
        case .noStream:
            throw JetStreamError(
                .noStream, "there is no stream \(address.stream) any more: it was deleted while lines were published",
                advice: "make it with tidemark stream create, and feed all lines again that it should have")
        case .silence:
            throw JetStreamError(
                .noServer,
                "no server at \(address.servers.joined(separator: ", ")) stores messages"
                    + (failure.map { ": \($0.message)" } ?? ""),
                advice: "feed the lines behind the last acknowledged one again when the servers are back")
        }
    }

    /// Returns the kind of a failure. No server responds on a subject during an election, nor when the stream was
    /// deleted; the stream's status tells which.
    private func trouble(_ failure: JetStreamError?) throws(JetStreamError) -> PublishPatience.Trouble {
        guard failure?.code == .noJetStream else { return failure?.code == .noStream ? .noStream : .silence }
        do throws(JetStreamError) {
            _ = try api.status(of: address.stream, timeout: StreamPublisher.statusTimeout)
            return .silence
        } catch {
            guard error.mayPass else { throw error }
            return error.code == .noStream ? .noStream : .silence
        }
    }

    private func tooLarge(_ line: PublishLine) -> JetStreamError {
        JetStreamError(
            .messageTooLarge,
            "line \(line.number) has \(line.bytes.count) bytes, and the server admits \(connection.payloadByteCountMax)",
            advice: "raise max_payload of the server, or pass --skip-oversize")
    }

    /// Sleeps for 20 to 200 ms, chosen at random.
    private static func pause() {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(Int.random(in: 20...200)))
    }
}

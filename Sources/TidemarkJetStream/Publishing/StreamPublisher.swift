import Dispatch
import Synchronization
import Tidemark
import TidemarkModel

/// Publishes lines to a stream in order: nothing is lost, doubled or reordered, whatever happens to servers.
///
/// ``PublishQueue`` says why. Lines go ahead of their confirmations; after a refusal or a missing answer everything
/// under way is decided or given up, and every unconfirmed line is sent again by itself. Used by one thread, which may
/// wait.
package struct StreamPublisher {
    private let address: JetStreamAddress
    private let settings: PublishSettings
    private let connection: NatsConnection
    private let api: JetStreamAPI
    private let inbox: String
    private let answers: NatsSubscription
    /// The answers that are looked at.
    private let batch = NatsBatch()
    /// The stream when publishing began.
    private let stream: StreamStatus
    private var queue: PublishQueue
    /// The time of the last answer of a server.
    private var lastContact = ContinuousClock.now
    private let isStopped: @Sendable () -> Bool
    package private(set) var summary = PublishSummary()
    /// The line up to which all are confirmed.
    package private(set) var confirmedLine: Int64 = 0

    /// The time in which the server must answer.
    private static let answerTimeout: Int64 = 2_000

    /// Connects, and looks at the stream.
    ///
    /// - Parameter isStopped: Whether a signal ended the run: then nobody waits for a server any more.
    /// - Throws: ``JetStreamError``; `.noServer` after the patience of the settings.
    package init(
        _ address: JetStreamAddress, _ settings: PublishSettings, isStopped: @escaping @Sendable () -> Bool
    ) throws(JetStreamError) {
        self.address = address
        self.settings = settings
        self.isStopped = isStopped
        let deadline = ContinuousClock.now + .milliseconds(Int64(settings.patience * 1_000))
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

    /// Publishes the events of a batch of lines.
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

    /// Waits until all that was sent is confirmed.
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

    /// Takes the answers that have come; waits for one if need be.
    private mutating func collect(timeout: Int64) throws(JetStreamError) {
        guard !queue.isEmpty else { return }
        var isAny = false
        while try noteAnswers(timeout: isAny ? 0 : timeout) { isAny = true }
        confirm(queue.takeConfirmed())
        if queue.hasRefused || !isAny && timeout > 0 { try recover() }
    }

    /// Follows the answers that have come; waits for one if need be.
    ///
    /// - Returns: Whether there was one.
    private mutating func noteAnswers(timeout: Int64) throws(JetStreamError) -> Bool {
        // Some of the last batch are left where one of them was an error.
        if batch.unreadCount == 0 {
            guard try answers.receive(into: batch, timeout: timeout) else { return false }
        }
        while let message = batch.next() { try note(message) }
        return true
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
        lastContact = .now
        if let sequence = answer["seq"]?.int64, answer["error"] == nil {
            let isDuplicate = answer["duplicate"]?.bool ?? false
            queue.answered(number, isDuplicate ? .duplicate(sequence: sequence) : .stored(sequence: sequence))
        } else if let error = answer["error"] {
            let known = JetStreamAPI.error(error, address)
            switch known.code {
            case .otherPublisher: queue.answered(number, .outOfOrder)
            case .timedOut, .noJetStream, .noServer: break
            default:
                // The answers of the lines before it have come.
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

    /// Waits for all that is under way, and sends what is not confirmed again, one after another.
    private mutating func recover() throws(JetStreamError) {
        let deadline = ContinuousClock.now + .milliseconds(StreamPublisher.answerTimeout)
        while !queue.isDecided, ContinuousClock.now < deadline {
            _ = try noteAnswers(timeout: 100)
        }
        let ended = queue.endAttempts()
        confirm(ended.confirmed)
        for line in ended.unconfirmed { try sendAlone(line) }
    }

    /// Sends one line until it is confirmed.
    private mutating func sendAlone(_ line: PublishLine) throws(JetStreamError) {
        while true {
            do throws(JetStreamError) {
                if case .needsLast = queue.readiness(of: line) { try learnLast(of: line.subject) }
                guard case .ready(let expected) = queue.readiness(of: line) else {
                    // Nothing is under way, and the last number is known by now.
                    preconditionFailure("a line that is alone has to wait")
                }
                let (number, streamLast) = queue.append(line, expected: expected)
                try transmit(line, expected: expected, streamLast, number)
                let deadline = ContinuousClock.now + .milliseconds(StreamPublisher.answerTimeout)
                while !queue.isDecided, ContinuousClock.now < deadline {
                    _ = try noteAnswers(timeout: 100)
                }
                if queue.hasRefused { try examine(line, number, after: expected) }
            } catch {
                guard error.mayPass else { throw error }
            }
            let ended = queue.endAttempts()
            confirm(ended.confirmed)
            if !ended.confirmed.isEmpty { return }
            try connection.checkPermission(line.subject)
            try checkPatience()
            StreamPublisher.pause()
        }
    }

    /// Looks at what follows the message that a refused line expected as the last one: the line itself, of which the
    /// answer was lost, or another publisher's.
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
                queue.learn(subject, last: try api.lastSequence(of: subject, in: address.stream) ?? 0)
                lastContact = .now
                return
            } catch {
                guard error.mayPass else { throw error }
                try checkPatience()
                StreamPublisher.pause()
            }
        }
    }

    private func checkPatience() throws(JetStreamError) {
        guard isStopped() || ContinuousClock.now - lastContact > .milliseconds(Int64(settings.patience * 1_000)) else {
            return
        }
        throw JetStreamError(
            .noServer, "no server at \(address.servers.joined(separator: ", ")) stores messages",
            advice: "feed the lines behind the last acknowledged one again when the servers are back")
    }

    private func tooLarge(_ line: PublishLine) -> JetStreamError {
        JetStreamError(
            .messageTooLarge,
            "line \(line.number) has \(line.bytes.count) bytes, and the server admits \(connection.payloadByteCountMax)",
            advice: "raise max_payload of the server, or pass --skip-oversize")
    }

    /// Waits up to 200 ms, with jitter.
    private static func pause() {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(Int.random(in: 20...200)))
    }
}

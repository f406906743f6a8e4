import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream

/// A stream as a list, which stores a message only where the expected number holds, and recognizes ids.
private struct ModelStream {
    var messages: [(subject: String, id: String?, text: [UInt8])] = []

    func last(_ subject: String) -> Int64 {
        Int64((messages.lastIndex { $0.subject == subject } ?? -1) + 1)
    }

    mutating func offer(_ line: PublishLine, expected: Int64, streamLast: Int64?) -> PublishQueue.Outcome {
        if let id = line.id, let known = messages.firstIndex(where: { $0.id == id }) {
            return .duplicate(sequence: Int64(known) + 1)
        }
        guard last(line.subject) == expected else { return .outOfOrder }
        if let streamLast, streamLast != Int64(messages.count) { return .outOfOrder }
        messages.append((line.subject, line.id, line.bytes))
        return .stored(sequence: Int64(messages.count))
    }
}

@Suite(.pooled) struct PublishQueueTests {
    private func line(_ number: Int, _ subject: String, id: String?) -> PublishLine {
        PublishLine(number: Int64(number), subject: subject, id: id, bytes: Array("\(number)".utf8))
    }

    @Test func `a line follows the last number, and the next one the predicted number`() {
        var queue = PublishQueue(isShared: false)
        let first = line(1, "a", id: "1")
        #expect(queue.readiness(of: first) == .needsLast)
        queue.learn("a", last: 40)
        #expect(queue.readiness(of: first) == .ready(expected: 40))
        #expect(queue.append(first, expected: 40) == (0, nil))
        // Nothing is known of the stream's numbers yet.
        #expect(queue.readiness(of: line(2, "a", id: "2")) == .mustWait)
        queue.answered(0, .stored(sequence: 50))
        #expect(queue.takeConfirmed().count == 1)
        #expect(queue.append(line(2, "a", id: "2"), expected: 50) == (1, 50))
        #expect(queue.readiness(of: line(3, "a", id: "3")) == .ready(expected: 51))
    }

    @Test func `a shared library has one line under way`() {
        var queue = PublishQueue(isShared: true)
        queue.learn("a", last: 0)
        _ = queue.append(line(1, "a", id: nil), expected: 0)
        queue.answered(0, .stored(sequence: 1))
        #expect(queue.takeConfirmed().count == 1)
        _ = queue.append(line(2, "a", id: nil), expected: 1)
        #expect(queue.readiness(of: line(3, "a", id: nil)) == .mustWait)
        queue.learn("b", last: 0)
        #expect(queue.readiness(of: line(3, "b", id: nil)) == .ready(expected: 0))
    }

    @Test func `the lines under way have a bound`() {
        var queue = PublishQueue(isShared: false)
        for number in 0..<PublishQueue.countMax {
            queue.learn("\(number)", last: 0)
            _ = queue.append(line(number, "\(number)", id: nil), expected: 0)
        }
        queue.learn("x", last: 0)
        #expect(queue.readiness(of: line(1, "x", id: nil)) == .mustWait)
    }

    @Test(arguments: TestScale.seeds(40))
    func `lost messages, lost answers and other publishers reorder nothing`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var stream = ModelStream()
        var queue = PublishQueue(isShared: false)
        let lossRate = [0, 5, 30][random.below(3)]
        let otherRate = [0, 0, 20][random.below(3)]
        let lines = (0..<400).map { number in
            line(number, "s\(random.below(3))", id: seed.isMultiple(of: 2) ? "m\(number)" : nil)
        }
        var confirmed: Set<Int64> = []
        /// The answers that are on their way.
        var answers: [(Int, PublishQueue.Outcome)] = []

        func send(_ line: PublishLine, expected: Int64) {
            let (number, streamLast) = queue.append(line, expected: expected)
            if random.below(100) < otherRate { stream.messages.append(("other", nil, [])) }
            guard random.below(100) >= lossRate else { return }
            let outcome = stream.offer(line, expected: expected, streamLast: streamLast)
            if random.below(100) >= lossRate { answers.append((number, outcome)) }
        }
        func note(_ sent: [PublishQueue.Sent]) {
            for each in sent {
                // A confirmed line is in the stream.
                #expect(stream.messages.contains { $0.text == each.line.bytes })
                confirmed.insert(each.line.number)
            }
        }
        func recover() {
            for (number, outcome) in answers { queue.answered(number, outcome) }
            answers = []
            let ended = queue.endAttempts()
            note(ended.confirmed)
            for line in ended.unconfirmed {
                while true {
                    if case .needsLast = queue.readiness(of: line) {
                        queue.learn(line.subject, last: stream.last(line.subject))
                    }
                    guard case .ready(let expected) = queue.readiness(of: line) else {
                        Issue.record("a line that is alone has to wait")
                        return
                    }
                    send(line, expected: expected)
                    for (number, outcome) in answers { queue.answered(number, outcome) }
                    if queue.hasRefused {
                        // The line itself, of which the answer was lost.
                        let next = stream.messages.indices.first {
                            $0 >= expected && stream.messages[$0].subject == line.subject
                        }
                        let found = next.flatMap { stream.messages[$0].text == line.bytes ? Int64($0) + 1 : nil }
                        if let found {
                            queue.correct(queue.firstNumber, .stored(sequence: found))
                        } else {
                            queue.learn(line.subject, last: stream.last(line.subject))
                        }
                    }
                    answers = []
                    let alone = queue.endAttempts()
                    note(alone.confirmed)
                    if !alone.confirmed.isEmpty { break }
                }
            }
        }
        func collect() {
            // Answers come in the order of the messages; some are still on their way.
            let count = random.below(answers.count + 1)
            for (number, outcome) in answers.prefix(count) { queue.answered(number, outcome) }
            answers.removeFirst(count)
            note(queue.takeConfirmed())
            if queue.hasRefused || count == 0 { recover() }
        }
        var walk = RandomWalk(seed: seed)
        while walk.next(of: lines.count) {
            let line = lines[walk.step - 1]
            sending: while true {
                switch queue.readiness(of: line) {
                case .ready(let expected):
                    send(line, expected: expected)
                    break sending
                case .needsLast: queue.learn(line.subject, last: stream.last(line.subject))
                case .mustWait: collect()
                }
            }
        }
        while !queue.isEmpty { collect() }
        #expect(confirmed.count == lines.count, "\(walk)")
        for subject in ["s0", "s1", "s2"] {
            let stored = stream.messages.filter { $0.subject == subject }.map(\.text)
            #expect(stored == lines.filter { $0.subject == subject }.map(\.bytes), "subject \(subject), \(walk)")
        }
    }
}

extension PublishLine {
    fileprivate init(number: Int64, subject: String, id: String?, bytes: [UInt8]) {
        let batch = EventBatch(
            block: bytes, rewritten: [], lines: [.init(offset: 0, count: UInt32(bytes.count))], events: [], members: [],
            input: InputID(0), firstLine: number, firstOffset: 0, wholeByteCounts: [:], blankCount: 0, controlCount: 0,
            pool: nil)
        guard let line = PublishLine(ChangeEvent(kind: .refresh, line: 0), of: batch, prefix: "", PublishSettings())
        else {
            preconditionFailure("a refresh is published")
        }
        self = line
        self.subject = subject
        self.id = id
    }
}

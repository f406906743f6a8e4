import Synchronization
import Tidemark
import TidemarkModel

/// Collects the answers to one batch of requests, and writes them as one line when the last has arrived.
///
/// Past `byteCountMax`, further answers are replaced by an error.
package final class BatchAnswer: Sendable {
    private struct State {
        /// The answers by index in the batch; nil while missing.
        var answers: [[UInt8]?]
        var missingCount: Int
        var byteCount = 0
    }

    private let target: any AnswerTarget
    private let byteCountMax: Int
    private let state: Mutex<State>

    /// Collects a number of answers.
    ///
    /// - Parameters:
    ///   - count: How many requests in the batch need an answer.
    ///   - target: Receives the line.
    ///   - byteCountMax: The maximum size of all answers together.
    package init(count: Int, target: any AnswerTarget, byteCountMax: Int) {
        self.target = target
        self.byteCountMax = byteCountMax
        state = Mutex(State(answers: Array(repeating: nil, count: count), missingCount: count))
    }

    /// Adds the answer to one request; a second answer to the same request is ignored.
    package func add(_ outcome: Result<[UInt8], MessageError>, to id: [UInt8], at index: Int) {
        let answer = MessageLine.answer(outcome, to: id)
        let line: [UInt8]? = state.withLock { state in
            guard state.answers[index] == nil else { return nil }
            state.byteCount += answer.count
            if state.byteCount > byteCountMax {
                state.answers[index] = MessageLine.answer(.failure(tooLarge), to: id)
            } else {
                state.answers[index] = answer
            }
            state.missingCount -= 1
            return state.missingCount == 0 ? BatchAnswer.line(of: state.answers) : nil
        }
        if let line { target.append(answer: line) }
    }

    private var tooLarge: MessageError {
        MessageError(
            CacheError(.limitExceeded, "the answers of the batch pass \(byteCountMax) bytes: ask in smaller batches"))
    }

    private static func line(of answers: [[UInt8]?]) -> [UInt8] {
        var line = [UInt8(ascii: "[")]
        for (index, answer) in answers.enumerated() {
            if index > 0 { line.append(UInt8(ascii: ",")) }
            if let answer { line += answer }
        }
        line.append(UInt8(ascii: "]"))
        line.append(0x0A)
        return line
    }
}

import TidemarkModel

/// Where to send the answer to one request. Used once.
package struct Responder: Sendable {
    /// What becomes of an answer.
    package enum Target: Sendable {
        /// The request is a notification, so its answer is dropped.
        case nobody
        /// The answer is a line of its own.
        case line(any AnswerTarget)
        /// The answer is a part of the answer to a batch.
        case batch(BatchAnswer, index: Int)
    }

    /// The id of the request, as JSON.
    package var id: [UInt8]
    /// What becomes of the answer.
    package var target: Target

    /// Creates a responder for a request.
    package init(id: [UInt8], target: Target) {
        self.id = id
        self.target = target
    }

    /// Sends the answer.
    package func answer(_ outcome: Result<[UInt8], MessageError>) {
        switch target {
        case .nobody: break
        case .line(let outputQueue): outputQueue.append(answer: MessageLine.answer(outcome, to: id) + [0x0A])
        case .batch(let batch, let index): batch.add(outcome, to: id, at: index)
        }
    }
}

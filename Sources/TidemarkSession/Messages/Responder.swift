import TidemarkModel

/// Where to send the answer to one request. Used once.
struct Responder: Sendable {
    enum Target: Sendable {
        /// The request is a notification, so its answer is dropped.
        case nobody
        case line(any AnswerTarget)
        case batch(BatchAnswer, index: Int)
    }

    /// The id of the request, as JSON.
    var id: [UInt8]
    var target: Target

    func answer(_ outcome: Result<[UInt8], MessageError>) {
        switch target {
        case .nobody: break
        case .line(let outputQueue): outputQueue.append(answer: MessageLine.answer(outcome, to: id) + [0x0A])
        case .batch(let batch, let index): batch.add(outcome, to: id, at: index)
        }
    }
}

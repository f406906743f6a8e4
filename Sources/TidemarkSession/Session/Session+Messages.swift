import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkStore

extension Session {
    /// The maximum number of messages in one batch.
    static let batchCountMax = 1_000

    /// Performs the messages of one line. Returns once everything is done that must precede later lines.
    ///
    /// - Parameters:
    ///   - target: Receives the answers.
    ///   - place: The input and the line; nil for single messages.
    func admit(_ value: JSONSlice, to target: any AnswerTarget, _ place: LinePlace?) async {
        guard let elements = value.elements else {
            return await admit(Message(value), .line(target), place)
        }
        guard !elements.isEmpty else {
            let error = MessageError.invalidRequest("the array is empty: send requests in it")
            return await answer(.failure(error), Responder(id: Message.nullID, target: .line(target)))
        }
        guard elements.count <= Session.batchCountMax else {
            let error = CacheError(
                .limitExceeded,
                "the array holds \(elements.count) messages, none was performed: send at most \(Session.batchCountMax)")
            return await answer(
                .failure(MessageError(error)), Responder(id: Message.nullID, target: .line(target)))
        }
        let messages = elements.map { Message($0) }
        let batch = BatchAnswer(
            count: messages.count(where: \.wantsAnswer), target: target,
            byteCountMax: output.answerByteCountMax)
        var index = 0
        for message in messages {
            await admit(message, .batch(batch, index: index), place)
            if message.wantsAnswer { index += 1 }
        }
    }

    /// Takes only the host's answers from a line; its other messages are performed in their turn.
    func admitAnswers(_ value: JSONSlice) {
        for element in value.elements ?? [value] {
            if case .answer(let id, let hostAnswer) = Message(element) { context.calls?.answer(hostAnswer, to: id) }
        }
    }

    private func admit(_ message: Message, _ target: Responder.Target, _ place: LinePlace?) async {
        switch message {
        case .answer(let id, let hostAnswer):
            context.calls?.answer(hostAnswer, to: id)
        case .invalid(let id, let error):
            await answer(.failure(error), Responder(id: id, target: target))
        case .request(let request):
            await output.waitForRoom()
            let responder =
                if let id = request.id { Responder(id: id, target: target) } else {
                    Responder(id: Message.nullID, target: .nobody)
                }
            await perform(request, responder, place)
        }
    }

    /// Writes an answer after all notifications of earlier changes.
    func answer(_ outcome: Result<[UInt8], MessageError>, _ responder: Responder) async {
        await cache.deliverAll(to: output)
        responder.answer(outcome)
    }
}

extension Message {
    /// True if the sender waits for an answer.
    var wantsAnswer: Bool {
        switch self {
        case .request(let request): request.id != nil
        case .invalid: true
        case .answer: false
        }
    }
}

import Tidemark
import TidemarkModel
import TidemarkStore

extension Session {
    /// The largest number of requests in one array.
    static let batchCountMax = 1_000

    /// Takes one line of messages. Returns when every step is done that must come before later lines.
    ///
    /// - Parameters:
    ///   - target: The receiver of the answers.
    ///   - place: The input and the line; nil for messages that came by themselves.
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
            byteCountMax: outputQueue.answerByteCountMax)
        var index = 0
        for message in messages {
            await admit(message, .batch(batch, index: index), place)
            if message.wantsAnswer { index += 1 }
        }
    }

    /// Takes the host's answers among the messages of a line; the other messages are taken in their turn.
    func admitAnswers(_ value: JSONSlice) {
        for element in value.elements ?? [value] {
            if case .answer(let id, let hostAnswer) = Message(element) { calls?.answer(hostAnswer, to: id) }
        }
    }

    private func admit(_ message: Message, _ target: Responder.Target, _ place: LinePlace?) async {
        switch message {
        case .answer(let id, let hostAnswer):
            calls?.answer(hostAnswer, to: id)
        case .invalid(let id, let error):
            await answer(.failure(error), Responder(id: id, target: target))
        case .request(let request):
            await outputQueue.waitForRoom()
            let responder =
                if let id = request.id { Responder(id: id, target: target) } else {
                    Responder(id: Message.nullID, target: .nobody)
                }
            await perform(request, responder, place)
        }
    }

    /// Writes an answer after all notifications of earlier changes.
    func answer(_ outcome: Result<[UInt8], MessageError>, _ responder: Responder) async {
        await cache.deliverAll(to: outputQueue)
        responder.answer(outcome)
    }
}

extension Message {
    /// Whether the host waits for an answer to the message.
    var wantsAnswer: Bool {
        switch self {
        case .request(let request): request.id != nil
        case .invalid: true
        case .answer: false
        }
    }
}

import Synchronization
import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkStore
import TidemarkWire

extension Session {
    /// Performs a single message or a batch of messages, and returns its answer.
    ///
    /// - Parameter text: JSON, with any white space between its tokens. Copied.
    /// - Returns: The answer as one line, with its LF; nil if there is none, as for notifications.
    /// - Complexity: O(text.count), plus the methods.
    package func answer(to text: [UInt8]) async -> [UInt8]? {
        let exchange = Exchange()
        let batch: EventBatch
        do throws(WireError) {
            let line = MessageText.onOneLine(text)
            guard let first = try EventDecoder.batches(of: line, limits: context.reader.limits).first else {
                return MessageLine.answer(.failure(Session.noMessage), to: Message.nullID) + [0x0A]
            }
            batch = first
        } catch {
            let failure = MessageError.parse("there is no memory to read the message: send less at once")
            return MessageLine.answer(.failure(failure), to: Message.nullID) + [0x0A]
        }
        guard let event = batch.events.first, event.kind == .message else {
            return MessageLine.answer(.failure(Session.refusal(of: batch)), to: Message.nullID) + [0x0A]
        }
        let value = JSONSlice(validated: batch.text(of: event))
        let isAnswered = value.elements.map { $0.isEmpty || $0.contains { Message($0).wantsAnswer } }
        await admit(value, to: exchange, nil)
        guard isAnswered ?? Message(value).wantsAnswer else { return nil }
        return await exchange.answer()
    }

    /// Returns an error as a line, for a message that was not performed at all.
    package static func failure(_ error: CacheError) -> [UInt8] {
        MessageLine.answer(.failure(MessageError(error)), to: Message.nullID) + [0x0A]
    }

    /// Ends the subscriptions of this session; none of them is notified any more.
    package func endSubscriptions() async {
        await cache.detach(output)
        for family in guests { await family.endSubscriptions(of: output) }
    }

    private static func refusal(of batch: EventBatch) -> MessageError {
        guard let event = batch.events.first, event.kind == .unusable,
            event.reason == .notJSON || event.reason == .invalidUTF8 || event.reason == .tooDeep
                || event.reason == .tooLong
        else { return noMessage }
        return .parse("the message cannot be read (\(event.reason?.code ?? "not_json")): send one JSON value")
    }

    private static let noMessage = MessageError.invalidRequest(
        "this is no message of JSON-RPC 2.0: send an object with jsonrpc and method, or an array of them")
}

/// The answer to one single message.
private final class Exchange: AnswerTarget {
    private struct State {
        var line: [UInt8]?
        var continuation: CheckedContinuation<[UInt8], Never>?
    }

    private let state = Mutex(State())

    func append(answer line: [UInt8]) {
        let waiter = state.withLock { state in
            state.line = line
            defer { state.continuation = nil }
            return state.continuation
        }
        waiter?.resume(returning: line)
    }

    /// Waits for the answer, and returns it.
    func answer() async -> [UInt8] {
        await withCheckedContinuation { continuation in
            let line: [UInt8]? = state.withLock { state in
                if state.line == nil { state.continuation = continuation }
                return state.line
            }
            if let line { continuation.resume(returning: line) }
        }
    }
}

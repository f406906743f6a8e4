import Logging
import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel

extension Session {
    func perform(_ request: Message.Request, _ responder: Responder, _ place: LinePlace?) async {
        let method = methods[request.method]
        if isReadOnly, let refusal = Session.refusal(of: request, method) {
            return await answer(.failure(refusal), responder)
        }
        guard let method else {
            let error = MessageError.methodNotFound(request.method, nearest: methods.nearest(to: request.method))
            return await refuse(request, error, responder)
        }
        do throws(CacheError) {
            if method.observes, let refusal = context.output.observerRefusal { throw refusal }
            let params = try context.reader.params(request.params, known: method.params, of: method.name)
            let call = MethodCall(session: context, params: params, responder: responder, place: place)
            switch try await method.perform(call) {
            case .answered(let result): await answer(.success(result), responder)
            case .later: break
            }
        } catch {
            await refuse(request, MessageError(error), responder)
        }
    }

    private func refuse(_ request: Message.Request, _ error: MessageError, _ responder: Responder) async {
        if request.id == nil {
            context.logger.debug("the notification \(request.method) has no effect: \(error.message)")
        }
        await answer(.failure(error), responder)
    }

    /// Returns why a request is refused while another process writes the database; nil if it may be performed.
    ///
    /// - Source: Protocol/serving.md, reading beside a writer.
    private static func refusal(of request: Message.Request, _ method: SessionMethod?) -> MessageError? {
        switch method?.besideWriter ?? .refused {
        case .performed: return nil
        case .refused: return readOnly("this server only reads: ask the one that writes the database")
        case .performedWithoutFetch:
            let policy = request.params?.members?[Array("policy".utf8)]?.text
            if policy == Array("cacheOnly".utf8) { return nil }
            return readOnly("this server only reads, and fetches nothing: pass the policy cacheOnly")
        }
    }

    private static func readOnly(_ message: String) -> MessageError {
        MessageError(code: 403, message: message, name: "read_only")
    }
}

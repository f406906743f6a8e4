import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// The network's side of an exchange: performs what ``ExchangeState`` decides.
extension HTTPClient {
    /// A long body whose beginning has been read.
    struct Arriving: Sendable {
        var first: [UInt8]
        var rest: HTTPBody
        var isStorable: Bool
        var request: RequestHead
    }

    /// What the actions of one exchange have given.
    private struct Exchanged {
        /// The fetch of entities that was begun; ended with the exchange.
        var mark: FetchMark?
        /// The response of the current hop.
        var response: HTTPExchangeResponse?
        var arriving: Arriving?
    }

    /// Performs an exchange and stores its effects, once for all requests that wait for it.
    ///
    /// - Parameter validators: The validators of the stored response, for the URL that sent it.
    func complete(
        _ question: Question, _ validators: StoredValidators?, _ lookup: HTTPResponseStore.Lookup?
    ) async -> RunningExchange.Outcome {
        var exchanged = Exchanged()
        let outcome = await complete(question, validators, lookup, &exchanged)
        if let mark = exchanged.mark { await cache.endFetch(mark) }
        return outcome
    }

    private func complete(
        _ question: Question, _ validators: StoredValidators?, _ lookup: HTTPResponseStore.Lookup?,
        _ exchanged: inout Exchanged
    ) async -> RunningExchange.Outcome {
        var state = ExchangeState(question, validators, lookup)
        var event = ExchangeState.Event.begin
        while true {
            let step = state.handle(event, now: clock.now())
            for effect in step.effects { perform(effect, exchanged.response) }
            switch step.action {
            case .beginFetch(let key):
                exchanged.mark = await cache.beginFetch(key)
                event = .began
            case .send(let exchange): event = await send(exchange, &exchanged)
            case .receive(let request, let isStorable):
                event = await receive(request, question.fetch, isStorable: isStorable, &exchanged)
            case .fail(let error, let changes):
                await writeQuietly(changes)
                return .failure(error)
            case .pass(var completed, let changes):
                if let arriving = exchanged.arriving {
                    completed.content = .arriving(flow(arriving, completed, question, lookup))
                    return .success(completed)
                }
                return .success(await store(completed, question, lookup, exchanged.mark, changes))
            }
        }
    }

    private func perform(_ effect: ExchangeState.Effect, _ response: HTTPExchangeResponse?) {
        switch effect {
        case .announce(let selections): store.announce(selections)
        case .dropBody: response?.body.cancel()
        case .reached(let origin): reached(origin)
        }
    }

    /// Writes changes on which no response depends; a failing disk is ignored.
    private func writeQuietly(_ changes: [HTTPChange]) async {
        do throws(CacheError) {
            try await store.write(changes)
        } catch {
            // The disk fails: the stored responses stay, and their policies decide when they are revalidated.
        }
    }

    private func send(_ exchange: HTTPExchange, _ exchanged: inout Exchanged) async -> ExchangeState.Event {
        do throws(ExchangeError) {
            let response = try await transport.exchange(exchange)
            exchanged.response = response
            return .head(response.head)
        } catch {
            return .failed(error)
        }
    }

    private func receive(
        _ request: RequestHead, _ fetch: HTTPFetch, isStorable: Bool, _ exchanged: inout Exchanged
    ) async -> ExchangeState.Event {
        guard let response = exchanged.response else { preconditionFailure("a body is read before its head") }
        let intake = BodyIntake(
            isStorable: isStorable,
            isRead: fetch.wantsFlow && fetch.request.method == "GET" && fetch.normalization == nil,
            storedByteCountMax: defaults.bodyByteCountMax, callerByteCountMax: fetch.answerByteCountMax ?? 0)
        do throws(ExchangeError) {
            if let content = try await receive(response, request, intake, &exchanged) { return .body(content) }
            return .arriving
        } catch {
            return .failed(error)
        }
    }

    /// Reads a body: a short one into memory, a long one to the disk if it may be stored.
    ///
    /// - Returns: The body; nil if the caller reads it while it arrives.
    /// - Throws: ``ExchangeError``: `limitExceeded` past the limit of a body; `truncated` if the length is not that of
    ///   the head.
    private func receive(
        _ response: HTTPExchangeResponse, _ request: RequestHead, _ given: BodyIntake, _ exchanged: inout Exchanged
    ) async throws(ExchangeError) -> HTTPContent? {
        var intake = given
        var bytes: [UInt8] = []
        var writer: DraftWriter?
        while let chunk = try await response.body.next() {
            let step = intake.received(chunk.count)
            switch step {
            case .keep, .beginDraft, .handOver: if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            case .append, .tooLong: break
            }
            switch step {
            case .keep: break
            case .handOver:
                exchanged.arriving = Arriving(
                    first: bytes, rest: response.body, isStorable: intake.isStorable, request: request)
                return nil
            case .beginDraft:
                let begun = DraftWriter(store)
                if intake.wrote(isKept: await begun.append(bytes)) { (writer, bytes) = (begun, []) }
            case .append:
                guard let writing = writer else { preconditionFailure("a body on the disk has no writer") }
                if intake.wrote(isKept: await writing.append(chunk)) { continue }
                bytes = try await takenBack(writing)
                writer = nil
            case .tooLong:
                response.body.cancel()
                await writer?.abandon()
                throw ExchangeError(.limitExceeded, "the body has more than \(intake.byteCountMax) bytes")
            }
        }
        try HTTPClient.checkLength(response.head, Int64(intake.byteCount), request)
        guard let writer else { return .bytes(bytes) }
        if let (draft, hold) = await writer.finish() { return .draft(draft, hold) }
        return .bytes(try await takenBack(writer))
    }

    /// Returns the bytes that were written before the disk failed, so that the response can be returned without being
    /// stored.
    private func takenBack(_ writer: DraftWriter) async throws(ExchangeError) -> [UInt8] {
        let bytes = await writer.takeBack()
        await writer.abandon()
        guard let bytes else {
            throw ExchangeError(.connectionLost, "the disk failed while a body past 1 MiB was written to it")
        }
        return bytes
    }

    /// Checks that a body has the length that its head names. Transports that decode bodies leave out the headers about
    /// the coded length.
    static func checkLength(
        _ head: ResponseHead, _ count: Int64, _ request: RequestHead
    ) throws(ExchangeError) {
        guard request.method != "HEAD", head.status != 304, head.status != 204,
            !head.fields.contains("transfer-encoding"), let value = head.fields.first("content-length"),
            let length = ASCII.number(value.bytes, max: .max / 16), length != count
        else { return }
        throw ExchangeError(.truncated, "the body has \(count) bytes, its head says \(length)")
    }
}

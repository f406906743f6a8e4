import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

extension HTTPClient {
    /// A complete response after redirects, or only its head if the caller reads the body while it arrives.
    struct Came: Sendable {
        var head: ResponseHead
        var content: HTTPContent
        var url: HTTPURL
        var arriving: Arriving?
        /// True if the stored validators were part of the request that got this response.
        var isConditional = false
    }

    /// A long body whose beginning has been read.
    struct Arriving: Sendable {
        var first: [UInt8]
        var rest: HTTPBody
        var isStorable: Bool
        var request: RequestHead
    }

    /// Performs an exchange and follows its redirects.
    ///
    /// - Parameter removals: Receives the removals caused by unsafe hops. They are announced at once, so that no
    ///   response to an earlier request is stored afterwards.
    func exchange(
        _ question: Question, _ validators: StoredValidators?, _ lookup: HTTPResponseStore.Lookup?,
        _ removals: inout [HTTPChange]
    ) async throws(ExchangeError) -> Came {
        let fetch = question.fetch
        var request = fetch.request
        var body = fetch.body
        for _ in 0...RedirectRules.hopCountMax {
            var sent = request
            // A validator is sent only to the URL whose response it belongs to.
            let isConditional = validators?.add(to: &sent) ?? false
            let exchange = HTTPExchange(
                method: sent.method, url: sent.url, fields: sent.fields, body: body, timeout: fetch.timeout,
                streamTimeout: question.isShared ? HTTPClient.exchangeTimeMax : nil)
            let answer = try await transport.exchange(exchange)
            removals += store.removing(invalidated(by: answer.head, request, fetch))
            if fetch.followsRedirects {
                switch RedirectRules.step(answer.head, to: request) {
                case .stay: break
                case .refuse:
                    answer.body.cancel()
                    throw HTTPClient.refusedRedirect
                case .follow(let next, let keepsBody):
                    answer.body.cancel()
                    request = next
                    if !keepsBody { body = [] }
                    continue
                }
            }
            let isStorable = isStorable(answer.head, question, isConditional: isConditional, lookup)
            var came = try await receive(answer, request, fetch, isStorable: isStorable)
            came.url = request.url
            came.isConditional = isConditional
            return came
        }
        throw HTTPClient.tooManyHops
    }

    /// Returns the stored responses that an unsafe hop removes. A request with a caller's key counts as a question: it
    /// removes the responses to GET and HEAD, not those to other keys.
    private func invalidated(by head: ResponseHead, _ request: RequestHead, _ fetch: HTTPFetch) -> [HTTPSelection] {
        let methods: [ByteString?] = fetch.isKeyed ? ["GET", "HEAD"] : [nil]
        return StorageRules.invalidated(by: head, to: request).flatMap { url in
            methods.flatMap { method -> [HTTPSelection] in
                let keys = method.map { [$0, HTTPFetch.led($0)] } ?? [nil]
                return keys.map { HTTPSelection(library: fetch.library, url: url.text, key: $0) }
            }
        }
    }

    /// True if a body may be written to the disk while it arrives. Bodies that are needed as a whole (those to combine,
    /// normalize or compare) are held in memory, within the limit of a body.
    private func isStorable(
        _ head: ResponseHead, _ question: Question, isConditional: Bool, _ lookup: HTTPResponseStore.Lookup?
    ) -> Bool {
        let fetch = question.fetch
        guard head.status != 206, fetch.normalization == nil, lookup?.found?.answer.normalized == nil,
            fetch.storage != .disabled
        else { return false }
        return ResponseRules.outcome(
            head, to: fetch.request, over: lookup?.found?.answer.head, fetch.rules, isConditional: isConditional,
            isKeyed: fetch.isKeyed, at: clock.now()) == .new(.store)
    }

    /// Reads a body: a short one into memory, a long one to the disk if it may be stored.
    ///
    /// - Throws: ``ExchangeError``: `limitExceeded` past the limit of a body, unless the caller reads it while it
    ///   arrives; `truncated` if the length is not that of the head.
    private func receive(
        _ answer: HTTPExchangeResponse, _ request: RequestHead, _ fetch: HTTPFetch, isStorable: Bool
    ) async throws(ExchangeError) -> Came {
        // A body that is too long to be stored is still returned, if the caller can take it.
        let byteCountMax = max(defaults.bodyByteCountMax, fetch.answerByteCountMax ?? 0)
        let isFlow = fetch.wantsFlow && fetch.request.method == "GET" && fetch.normalization == nil
        var isStorable = isStorable
        var bytes: [UInt8] = []
        var writer: DraftWriter?
        var byteCount = 0
        while let chunk = try await answer.body.next() {
            byteCount += chunk.count
            if let writing = writer {
                guard byteCount <= byteCountMax else {
                    answer.body.cancel()
                    await writing.abandon()
                    throw tooLong(byteCountMax)
                }
                if await writing.append(chunk), byteCount <= defaults.bodyByteCountMax { continue }
                bytes = try await takenBack(writing)
                writer = nil
                isStorable = false
                continue
            }
            if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
            guard byteCount > HTTPBodyDraft.chunkByteCount else { continue }
            if isFlow {
                let arriving = Arriving(first: bytes, rest: answer.body, isStorable: isStorable, request: request)
                return Came(head: answer.head, content: .bytes([]), url: request.url, arriving: arriving)
            }
            guard byteCount <= byteCountMax else {
                answer.body.cancel()
                throw tooLong(byteCountMax)
            }
            if isStorable, byteCount <= defaults.bodyByteCountMax {
                let begun = DraftWriter(store)
                if await begun.append(bytes) {
                    writer = begun
                    bytes = []
                } else {
                    isStorable = false
                }
            }
        }
        try HTTPClient.checkLength(answer.head, Int64(byteCount), request)
        guard let writer else { return Came(head: answer.head, content: .bytes(bytes), url: request.url) }
        if let (draft, hold) = await writer.finish() {
            return Came(head: answer.head, content: .draft(draft, hold), url: request.url)
        }
        return Came(head: answer.head, content: .bytes(try await takenBack(writer)), url: request.url)
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

    private func tooLong(_ byteCountMax: Int) -> ExchangeError {
        ExchangeError(.limitExceeded, "the body has more than \(byteCountMax) bytes")
    }

    /// Returns the body for a caller that reads it while it arrives; after the last byte the response is stored.
    func flow(
        _ arriving: Arriving, _ completed: CompletedExchange, _ question: Question, _ lookup: HTTPResponseStore.Lookup?
    ) -> HTTPBodyFlow {
        let request = arriving.request
        let head = completed.head
        let parts = ArrivingBody.Parts(
            first: arriving.first, rest: arriving.rest,
            byteCountMax: arriving.isStorable ? defaults.bodyByteCountMax : 0,
            check: { count throws(ExchangeError) in try HTTPClient.checkLength(head, count, request) },
            finish: { [weak self] content in
                var whole = completed
                whole.content = content
                whole.stored.byteCount = content.byteCount
                return await self?.stored(whole, question, lookup) ?? false
            })
        return ArrivingBody(parts, store).flow
    }

    /// Stores the effects of a response whose body has arrived. It replaces the stored response even if its own body
    /// was not kept.
    ///
    /// - Returns: True if the response was stored.
    private func stored(
        _ completed: CompletedExchange, _ question: Question, _ lookup: HTTPResponseStore.Lookup?
    ) async -> Bool {
        var completed = completed
        do throws(CacheError) {
            try await write(&completed, question, lookup, nil)
        } catch {
            return false
        }
        await tellObservers()
        return completed.isStored
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

import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Subscriptions to a server.
///
/// - Source: Protocol/graphql.md, methods of a session.
extension GraphQLEngine {
    /// True if an operation is a subscription.
    ///
    /// - Throws: ``/Tidemark/CacheError`` for an invalid document.
    package func isStream(_ request: GraphQLRequest) throws(CacheError) -> Bool {
        try plan(request).root == .operation(.subscription)
    }

    /// Starts a subscription. Each payload is stored and then reported to the sink.
    package func subscribe(
        _ request: GraphQLRequest, sink: any ObserverSink, in cache: isolated SyncCache
    ) throws(CacheError) -> SubscriptionID {
        if let refusal = cache.watcherRefusal { throw refusal }
        let plan = try plan(request)
        let sent = try sent(request)
        guard let upstream else {
            throw CacheError(.upstreamFailed, "there is nobody to ask")
        }
        lastFetch += 1
        let number = lastFetch
        let subscription = cache.newSubscription()
        streams[number] = DocumentStream(subscription: subscription, request: request, plan: plan, sink: sink)
        let asked = sent.request(number, .subscription, library: request.library)
        streams[number]?.task = cache.spawn { await self.followStream(asked, of: upstream, in: cache) }
        return subscription
    }

    /// Passes a host's payload to the upstream. Returns when it has been used or is not needed any more.
    package func receive(_ payload: JSONSlice, fetch: UInt64, in cache: isolated SyncCache) async {
        await upstream?.receive(payload, fetch: fetch)
    }

    /// Reads a subscription to its end, and reconnects when the connection is lost.
    private func followStream(
        _ request: GraphQLUpstreamRequest, of upstream: any GraphQLUpstream, in cache: isolated SyncCache
    ) async {
        var attempt = 0
        while true {
            do throws(UpstreamError) {
                let error = try await followOnce(request, of: upstream, attempt: &attempt, in: cache)
                return endStream(request.fetch, error, in: cache)
            } catch {
                let isLost = error.isConnectionLost && streams[request.fetch]?.isConnected == true
                attempt += 1
                guard isLost, attempt <= reconnecting.attemptCountMax else {
                    return endStream(request.fetch, DocumentStreamError(error), in: cache)
                }
                let pause = reconnecting.pause(attempt: attempt, random: Double.random(in: 0...1))
                tellReconnecting(request.fetch, attempt: attempt, pause: pause, DocumentStreamError(error), in: cache)
                do { try await cache.clock.sleep(milliseconds: pause) } catch { return }
            }
        }
    }

    /// Connects once and reads payloads until the subscription ends or the connection breaks.
    ///
    /// - Returns: The error with which the server ended the subscription; nil if it ended without one.
    /// - Throws: ``UpstreamError`` if there is no connection, or it broke.
    private func followOnce(
        _ request: GraphQLUpstreamRequest, of upstream: any GraphQLUpstream, attempt: inout Int,
        in cache: isolated SyncCache
    ) async throws(UpstreamError) -> DocumentStreamError? {
        let answer = try await upstream.ask(request)
        guard streams[request.fetch] != nil else {
            // The subscription was ended while the head was on its way, so the rest is not read.
            switch answer {
            case .parts(let parts, _), .stream(let parts, _): parts.stop()
            case .whole: break
            }
            return nil
        }
        streams[request.fetch]?.isConnected = true
        switch answer {
        case .whole(let parts): return await store(parts, fetch: request.fetch, in: cache)
        case .parts(let parts, _):
            return try await follow(parts, .answers, fetch: request.fetch, attempt: &attempt, in: cache)
        case .stream(let parts, let form):
            return try await follow(parts, form, fetch: request.fetch, attempt: &attempt, in: cache)
        }
    }

    private func tellReconnecting(
        _ number: UInt64, attempt: Int, pause: Int64, _ error: DocumentStreamError, in cache: isolated SyncCache
    ) {
        guard let stream = streams[number] else { return }
        var line = JSONLine()
        line.object { line in
            line.member("subscription", stream.subscription.rawValue)
            line.member("attempt", attempt)
            line.member("pause", pause)
            line.name("error")
            error.append(to: &line)
        }
        tell(stream, "graphql.reconnecting", line.bytes, in: cache)
    }

    /// Reads payloads until the subscription ends or the connection breaks.
    ///
    /// - Returns: The error with which the server ended the subscription; nil if it ended without one.
    private func follow(
        _ parts: any GraphQLParts, _ form: DocumentStreamForm, fetch number: UInt64, attempt: inout Int,
        in cache: isolated SyncCache
    ) async throws(UpstreamError) -> DocumentStreamError? {
        defer { parts.stop() }
        while let next = try await parts.next() {
            guard streams[number] != nil else { return nil }
            // Any payload proves that the connection works, even a heartbeat.
            attempt = 0
            guard next.payload.members?.isEmpty != true else { continue }
            let payload = GraphQLPayload(next.payload, form)
            if let answer = payload.answer {
                do throws(ResponseError) {
                    if let error = await store(try ResponseParts(answer), fetch: number, in: cache) { return error }
                } catch {
                    return DocumentStreamError("a payload \(error.message)", reason: "not_graphql")
                }
            }
            if payload.isLast { return payload.error }
        }
        // The closing delimiter has been read: the server has ended the subscription.
        return nil
    }

    /// Stores one payload of a subscription, and notifies its observer.
    ///
    /// - Returns: The error that ends the subscription; nil if it continues.
    private func store(_ parts: ResponseParts, fetch number: UInt64, in cache: isolated SyncCache) async
        -> DocumentStreamError?
    {
        guard let sink = streams[number]?.sink else { return nil }
        await sink.waitForRoom()
        guard let stream = streams[number], parts.hasData || parts.errors != nil else { return nil }
        if parts.hasData {
            do throws(CacheError) {
                try await cache.store(FieldResponse.made(of: parts, stream.plan, stream.request.library))
            } catch {
                return DocumentStreamError(storing: error)
            }
        }
        var line = JSONLine()
        line.object { line in
            line.member("subscription", stream.subscription.rawValue)
            line.member("data", json: Optional(ResponseProjector.data(of: parts, stream.plan)))
            line.member("errors", json: parts.errors.map { Array($0.bytes) })
            line.member("extensions", json: parts.extensions.map { Array($0.bytes) })
        }
        tell(stream, "graphql.next", line.bytes, in: cache)
        return nil
    }

    /// Ends a subscription and notifies its observer, unless it has ended already.
    private func endStream(_ number: UInt64, _ error: DocumentStreamError?, in cache: isolated SyncCache) {
        guard let stream = streams.removeValue(forKey: number) else { return }
        var line = JSONLine()
        line.object { line in
            line.member("subscription", stream.subscription.rawValue)
            guard let error else { return line.member("error", json: nil) }
            line.name("error")
            error.append(to: &line)
        }
        tell(stream, "graphql.complete", line.bytes, in: cache)
    }

    private func tell(_ stream: DocumentStream, _ method: ByteString, _ params: [UInt8], in cache: isolated SyncCache) {
        cache.deliverAll(to: stream.sink)
        stream.sink.deliver(.document(DocumentNotification(method: method, params: params)))
        cache.countNotification()
    }
}

import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// Subscriptions to a server.
///
/// - Source: Protocol/graphql.md, methods of a session.
extension SyncCache {
    /// True if an operation is a subscription.
    ///
    /// - Throws: ``CacheError`` for an invalid document.
    package func isStream(_ request: GraphRequest) throws(CacheError) -> Bool {
        try graph.plan(request).root == .operation(.subscription)
    }

    /// Starts a subscription. Each payload is stored and then reported to the sink.
    package func subscribeGraph(
        _ request: GraphRequest, sink: any ObserverSink
    ) throws(CacheError) -> SubscriptionID {
        if let watcherRefusal { throw watcherRefusal }
        let plan = try graph.plan(request)
        let sent = try graph.sent(request)
        guard let upstream = graph.upstream else {
            throw CacheError(.upstreamFailed, "there is nobody to ask")
        }
        graph.lastFetch += 1
        let number = graph.lastFetch
        let subscription = newSubscription()
        graph.streams[number] = GraphStream(subscription: subscription, request: request, plan: plan, sink: sink)
        let asked = sent.request(number, .subscription, library: request.library)
        graph.streams[number]?.task = spawnGraph { await self.followStream(asked, of: upstream) }
        return subscription
    }

    /// Passes a host's payload to the upstream. Returns when it has been used or is not needed any more.
    package func receiveGraph(_ payload: JSONSlice, fetch: UInt64) async {
        await graph.upstream?.receive(payload, fetch: fetch)
    }

    /// Reads a subscription to its end, and reconnects when the connection is lost.
    private func followStream(_ request: GraphUpstreamRequest, of upstream: any GraphUpstream) async {
        var attempt = 0
        while true {
            do throws(UpstreamError) {
                let error = try await followOnce(request, of: upstream, attempt: &attempt)
                return endStream(request.fetch, error)
            } catch {
                let isLost = error.isConnectionLost && graph.streams[request.fetch]?.isConnected == true
                attempt += 1
                guard isLost, attempt <= graph.reconnecting.attemptCountMax else {
                    return endStream(request.fetch, GraphStreamError(error))
                }
                let pause = graph.reconnecting.pause(attempt: attempt, random: Double.random(in: 0...1))
                tellReconnecting(request.fetch, attempt: attempt, pause: pause, GraphStreamError(error))
                do { try await graphClock.sleep(milliseconds: pause) } catch { return }
            }
        }
    }

    /// Connects once and reads payloads until the subscription ends or the connection breaks.
    ///
    /// - Returns: The error with which the server ended the subscription; nil if it ended without one.
    /// - Throws: ``UpstreamError`` if there is no connection, or it broke.
    private func followOnce(
        _ request: GraphUpstreamRequest, of upstream: any GraphUpstream, attempt: inout Int
    ) async throws(UpstreamError) -> GraphStreamError? {
        let answer = try await upstream.ask(request)
        guard graph.streams[request.fetch] != nil else {
            // The subscription was ended while the head was on its way, so the rest is not read.
            switch answer {
            case .parts(let parts, _), .stream(let parts, _): parts.stop()
            case .whole: break
            }
            return nil
        }
        graph.streams[request.fetch]?.isConnected = true
        switch answer {
        case .whole(let parts): return await store(parts, fetch: request.fetch)
        case .parts(let parts, _): return try await follow(parts, .answers, fetch: request.fetch, attempt: &attempt)
        case .stream(let parts, let form):
            return try await follow(parts, form, fetch: request.fetch, attempt: &attempt)
        }
    }

    private func tellReconnecting(_ number: UInt64, attempt: Int, pause: Int64, _ error: GraphStreamError) {
        guard let stream = graph.streams[number] else { return }
        var line = JSONLine()
        line.object { line in
            line.member("subscription", stream.subscription.rawValue)
            line.member("attempt", attempt)
            line.member("pause", pause)
            line.name("error")
            error.append(to: &line)
        }
        tell(stream, "graphql.reconnecting", line.bytes)
    }

    /// Reads payloads until the subscription ends or the connection breaks.
    ///
    /// - Returns: The error with which the server ended the subscription; nil if it ended without one.
    private func follow(
        _ parts: any GraphParts, _ form: GraphStreamForm, fetch number: UInt64, attempt: inout Int
    ) async throws(UpstreamError) -> GraphStreamError? {
        defer { parts.stop() }
        while let next = try await parts.next() {
            guard graph.streams[number] != nil else { return nil }
            // Any payload proves that the connection works, even a heartbeat.
            attempt = 0
            guard next.payload.members?.isEmpty != true else { continue }
            let payload = GraphPayload(next.payload, form)
            if let answer = payload.answer {
                do throws(AnswerFault) {
                    if let error = await store(try AnswerParts(answer), fetch: number) { return error }
                } catch {
                    return GraphStreamError("a payload \(error.message)", reason: "not_graphql")
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
    private func store(_ parts: AnswerParts, fetch number: UInt64) async -> GraphStreamError? {
        guard let sink = graph.streams[number]?.sink else { return nil }
        await sink.waitForRoom()
        guard let stream = graph.streams[number], parts.hasData || parts.errors != nil else { return nil }
        if parts.hasData {
            do throws(CacheError) {
                try await store(graphAnswer(parts, stream.plan, stream.request.library), isRefetch: false)
            } catch {
                return GraphStreamError(storing: error)
            }
        }
        var line = JSONLine()
        line.object { line in
            line.member("subscription", stream.subscription.rawValue)
            line.member("data", json: Optional(AnswerProjector.data(of: parts, stream.plan)))
            line.member("errors", json: parts.errors.map { Array($0.bytes) })
            line.member("extensions", json: parts.extensions.map { Array($0.bytes) })
        }
        tell(stream, "graphql.next", line.bytes)
        return nil
    }

    /// Ends a subscription and notifies its observer, unless it has ended already.
    private func endStream(_ number: UInt64, _ error: GraphStreamError?) {
        guard let stream = graph.streams.removeValue(forKey: number) else { return }
        var line = JSONLine()
        line.object { line in
            line.member("subscription", stream.subscription.rawValue)
            guard let error else { return line.member("error", json: nil) }
            line.name("error")
            error.append(to: &line)
        }
        tell(stream, "graphql.complete", line.bytes)
    }

    private func tell(_ stream: GraphStream, _ method: ByteString, _ params: [UInt8]) {
        deliverAll(to: stream.sink)
        stream.sink.deliver(.document(DocumentNotification(method: method, params: params)))
        countNotification()
    }
}

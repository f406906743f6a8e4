import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// Subscriptions that a server feeds.
///
/// - Source: Protocol/graphql.md, methods of a session.
extension SyncCache {
    /// Tells whether an operation is a subscription.
    ///
    /// - Throws: ``CacheError`` for a document that cannot be used.
    package func isStream(_ request: GraphRequest) throws(CacheError) -> Bool {
        try graph.plan(request).root == .operation(.subscription)
    }

    /// Begins a subscription. Each payload is told to the sink, and its entities are stored.
    package func subscribeGraph(
        _ request: GraphRequest, sink: any ObserverSink
    ) throws(CacheError) -> SubscriptionID {
        if let watcherRefusal { throw watcherRefusal }
        let plan = try graph.plan(request)
        let document = try graph.document(request.document)
        guard let upstream = graph.upstream else {
            throw CacheError(.upstreamFailed, "there is nobody to ask")
        }
        graph.lastFetch += 1
        let number = graph.lastFetch
        let subscription = newSubscription()
        graph.streams[number] = GraphStream(subscription: subscription, request: request, plan: plan, sink: sink)
        let asked = GraphUpstreamRequest(
            fetch: number, document: ByteString(document.sent), operationName: request.operationName,
            variables: request.variables ?? "{}", kind: .subscription, pendingID: nil, library: request.library)
        spawnGraph {
            do throws(UpstreamError) {
                let parts = try await upstream.ask(asked)
                await self.takeGraph(parts, fetch: number, isFirst: true)
            } catch {
                self.endStream(number, error.message)
            }
        }
        return subscription
    }

    /// Takes one payload of a subscription.
    ///
    /// - Parameter isFirst: The answer to the request itself, which may hold nothing yet.
    package func takeGraph(_ parts: AnswerParts, fetch number: UInt64, isFirst: Bool = false) async {
        guard let stream = graph.streams[number] else { return }
        if parts.hasData || parts.errors != nil {
            if parts.hasData {
                do throws(CacheError) {
                    try await store(graphAnswer(parts, stream.plan, stream.request.library), isRefetch: false)
                } catch {
                    return endStream(number, error.message)
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
        }
        if !parts.hasNext { endStream(number, nil) }
    }

    /// Ends a subscription, with an error where there is one. One that has ended is passed over.
    package func endStream(_ number: UInt64, _ error: String?) {
        guard let stream = graph.streams.removeValue(forKey: number) else { return }
        var line = JSONLine()
        line.object { line in
            line.member("subscription", stream.subscription.rawValue)
            line.member("error", error.map { ByteString($0) })
        }
        tell(stream, "graphql.complete", line.bytes)
    }

    private func tell(_ stream: GraphStream, _ method: ByteString, _ params: [UInt8]) {
        deliverAll(to: stream.sink)
        stream.sink.deliver(.document(DocumentNotification(method: method, params: params)))
        countNotification()
    }
}

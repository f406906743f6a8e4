import TidemarkModel

/// A consumer of a stream, which requests as many messages as its reader can take.
///
/// It sends another request when the open ones have at most one request's messages left, so that the server always has
/// one to fill. A server fills its open requests in turn, and a message does not name its request, so only a sum is
/// kept: what was requested, less what was delivered and what ended requests reported as left. (Counting each message
/// for the oldest request failed: a request that ended early was then taken for a filled one, and the others for open
/// ones that the server no longer had. Seconds of silence followed on a slow machine.)
///
/// Messages are not acknowledged: the cache's own cursor records what was applied. Use it from one thread.
package struct PullConsumer {
    /// The most messages that one request asks for.
    static let requestCountMax = 1_000
    /// The most bytes that one request asks for. Since a new request is sent every 1,000 messages, three are open, and
    /// four at the start.
    static let requestByteCountMax = 1 << 20
    /// How long a request without messages stays open, in milliseconds.
    private static let expiry: Int64 = 2_000
    /// After this time without any message or status from the server, no request can still be open.
    private static let quietMax = Duration.milliseconds(2_500)
    /// After this time without any message or status, the consumer counts as lost. The end of each request is such a
    /// status.
    private static let silenceMax = Duration.milliseconds(4_500)

    private let api: JetStreamAPI
    private let stream: String
    private let name: String
    private let inbox: String
    private let subscription: NatsSubscription
    /// The received messages. Bounded by the open requests, and by the batch.
    private let batch = NatsBatch()
    /// How many messages the consumer had to deliver when it was created.
    package let pendingCount: Int64
    /// How many messages the open requests still ask for.
    private var wantedCount = 0
    /// The consumer sequence of the last delivery. If the next one does not follow it, a message was lost on the way.
    private var lastDelivery: Int64 = 0
    private var lastSign: ContinuousClock.Instant
    /// True if the next message is larger than a request's byte bound.
    private var isNextLarge = false

    /// Creates a consumer at the server.
    ///
    /// - Parameters:
    ///   - filter: The subject, or pattern of subjects, to deliver.
    ///   - sequence: The first stream sequence to deliver.
    /// - Throws: ``JetStreamError``.
    package init(_ api: JetStreamAPI, stream: String, filter: String, from sequence: Int64) throws(JetStreamError) {
        self.api = api
        self.stream = stream
        inbox = try api.connection.newInbox()
        subscription = try api.connection.subscribe("\(inbox).*")
        (name, pendingCount) = try api.makeConsumer(of: stream, filter: filter, from: sequence)
        lastSign = .now
    }

    /// True if there are received messages that ``receive(timeout:_:)`` has not passed to its closure yet.
    var hasTaken: Bool { batch.unreadCount > 0 }

    /// The subscription, for counting its waiting messages from another thread.
    var subscriptionForCount: NatsSubscription { subscription }

    /// Deletes the consumer at the server, which would otherwise delete it after 5 minutes without a request.
    package func end() throws(JetStreamError) { try api.removeConsumer(name, of: stream) }

    /// Waits for messages, and passes those that are ready to a closure.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for the first message, in milliseconds; 0 does not wait.
    ///   - body: Called with each message, which is valid during the call, and its position. Returns true to take
    ///     another message; messages not taken are kept for the next call.
    /// - Returns: True if there was at least one message.
    /// - Throws: ``JetStreamError`` `.timedOut` when the consumer is lost, and another one has to be created.
    package mutating func receive<Failure: Error>(
        timeout: Int64, _ body: (NatsMessageView, DeliveryPlace) throws(Failure) -> Bool
    ) throws -> Bool {
        if batch.unreadCount == 0 {
            try ask()
            guard try subscription.receive(into: batch, timeout: timeout) else {
                let silence = ContinuousClock.now - lastSign
                if silence > PullConsumer.quietMax { wantedCount = 0 }
                guard silence < PullConsumer.silenceMax else {
                    try api.checkMayAsk(stream)
                    throw PullConsumer.lost("is silent")
                }
                return false
            }
            lastSign = .now
        }
        var isAny = false
        while let message = batch.next() {
            guard let place = DeliveryPlace(reply: message.reply) else {
                try follow(message)
                continue
            }
            isAny = true
            try noteDelivery(place)
            guard try body(message, place) else { break }
        }
        return isAny
    }

    private mutating func noteDelivery(_ place: DeliveryPlace) throws(JetStreamError) {
        lastDelivery += 1
        guard place.consumerSequence == lastDelivery else { throw PullConsumer.lost("has lost a message on the way") }
        isNextLarge = false
        wantedCount = max(0, wantedCount - 1)
        // Request now: the server sends more while the rest of the batch is used.
        if wantedCount == PullConsumer.requestCountMax { try ask() }
    }

    private mutating func ask() throws(JetStreamError) {
        while isNextLarge ? wantedCount == 0 : wantedCount <= PullConsumer.requestCountMax {
            let count = isNextLarge ? 1 : PullConsumer.requestCountMax
            try api.pull(
                name, of: stream, count: count, byteCount: isNextLarge ? nil : PullConsumer.requestByteCountMax,
                expires: PullConsumer.expiry, to: "\(inbox).1")
            wantedCount += count
        }
    }

    /// Handles a status message: the end of a request, or of the consumer.
    private mutating func follow(_ message: NatsMessageView) throws(JetStreamError) {
        let status = message.header("Status") ?? ""
        let text = message.header("Description") ?? ""
        // A status that does not say what is left of its request counts as one with nothing delivered.
        let rest = message.header("Nats-Pending-Messages").flatMap { Int($0) } ?? PullConsumer.requestCountMax
        switch status {
        case "100": return
        case "404", "408": break
        case "409" where text.contains("MaxBytes"):
            if rest >= PullConsumer.requestCountMax { isNextLarge = true }
        case "409" where text.contains("MaxWaiting") || text.contains("Requests Pending"): break
        default: throw PullConsumer.lost("has ended (\(status) \(text))")
        }
        wantedCount = max(0, wantedCount - max(0, rest))
    }

    private static func lost(_ why: String) -> JetStreamError {
        JetStreamError(.timedOut, "the stream's consumer \(why)", advice: "try again")
    }
}

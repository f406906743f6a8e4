import TidemarkModel

/// A consumer of a stream that is asked for messages, as many as its reader can take.
///
/// Another request is made when the open ones ask for one request's messages or fewer, so that the server has always
/// one to fill. A server fills its open requests in turn, and a message does not say whose it is; so only their sum is
/// known here, of what was asked for, what came, and what ended requests say they left. (Each message was once counted
/// for the oldest request: one that ended early was then taken for a filled one, and the others for open ones that the
/// server did not have any more. Seconds of silence followed on a slow machine.)
///
/// Messages need no acknowledgement: the reader's own cursor says what was applied. Used by one thread.
package struct PullConsumer {
    /// The number of messages that one request asks for.
    static let requestCountMax = 1_000
    /// The bytes that one request asks for. Since new ones come every 1,000 messages, three are open, and four at the
    /// start.
    static let requestByteCountMax = 1 << 20
    /// The milliseconds after which a request that brought nothing ends.
    private static let expiry: Int64 = 2_000
    /// The time without a sign of life after which no request can be open any more.
    private static let quietMax = Duration.milliseconds(2_500)
    /// The time without a sign of life after which the consumer counts as lost: the end of a request is a sign.
    private static let silenceMax = Duration.milliseconds(4_500)

    private let api: JetStreamAPI
    private let stream: String
    private let name: String
    private let inbox: String
    private let subscription: NatsSubscription
    /// The messages that were taken from the subscription. Bounded by the open requests, and by the batch.
    private let batch = NatsBatch()
    /// The messages that the consumer was to deliver when it was made.
    package let pendingCount: Int64
    /// The messages that the open requests still ask for.
    private var wantedCount = 0
    /// The number of the last delivery: a missing one was lost on the way.
    private var lastDelivery: Int64 = 0
    private var lastSign: ContinuousClock.Instant
    /// Whether the next message is larger than a request's bytes.
    private var isNextLarge = false

    /// - Parameter sequence: The first number that is wanted.
    /// - Throws: ``JetStreamError``.
    package init(_ api: JetStreamAPI, stream: String, filter: String, from sequence: Int64) throws(JetStreamError) {
        self.api = api
        self.stream = stream
        inbox = try api.connection.newInbox()
        subscription = try api.connection.subscribe("\(inbox).*")
        (name, pendingCount) = try api.makeConsumer(of: stream, filter: filter, from: sequence)
        lastSign = .now
    }

    /// Whether messages were taken from the subscription that no call of ``receive(timeout:_:)`` has handed out yet.
    var hasTaken: Bool { batch.unreadCount > 0 }

    /// The subscription, whose messages can be counted from another thread.
    var subscriptionForCount: NatsSubscription { subscription }

    /// Deletes the consumer at the server, which would do so by itself after some minutes.
    package func end() throws(JetStreamError) { try api.removeConsumer(name, of: stream) }

    /// Waits for messages, and hands out those that have come together.
    ///
    /// - Parameter timeout: In milliseconds; 0 only looks.
    /// - Parameter body: Called with a message, which is valid during the call, and its place. Returns whether it takes
    ///   another one; what it does not take is kept for the next call.
    /// - Returns: Whether there was one.
    /// - Throws: ``JetStreamError`` `.timedOut` when the consumer is lost, and another one has to be made.
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
        // At once: the server sends on while the rest of the batch is used.
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

    /// Follows a status: the end of a request, or of the consumer.
    private mutating func follow(_ message: NatsMessageView) throws(JetStreamError) {
        let status = message.header("Status") ?? ""
        let text = message.header("Description") ?? ""
        // A server that does not say what is left of a request counts as one that has filled nothing of it.
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

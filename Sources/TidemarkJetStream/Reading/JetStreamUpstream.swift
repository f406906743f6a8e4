import Dispatch
import Synchronization
import Tidemark
import TidemarkModel

/// An upstream that fetches a library's missing events from a JetStream stream.
///
/// Purged and deleted messages cannot be fetched: the request for them ends with a final error, and the cache records
/// their sequences as lost. Requests run one after another on a queue of their own.
///
/// ```swift
/// let upstream = JetStreamUpstream(try JetStreamAddress("nats://localhost/EVENTS"))
/// let answer = try await upstream.events(since: EventSequence(17), of: "photos")
/// print("\(answer.lines.count) bytes of event lines")
/// ```
///
/// - Source: Protocol/jetstream.md, upstream.
public final class JetStreamUpstream: Upstream {
    /// The state that requests share.
    private struct Work {
        var connection: NatsConnection?
        /// By library, the sequence last requested that the stream did not have. Bounded: emptied at
        /// `unansweredCountMax`.
        var unanswered: [ByteString: Int64] = [:]
    }

    private let address: JetStreamAddress
    private let numbering: ReadingSettings.Numbering
    private let queue = DispatchQueue(label: "tidemark.jetstream.upstream")
    /// Only the queue's single running job locks it, so the lock is never contended.
    private let work = Mutex(Work())

    private static let answerByteCountMax = 4 << 20
    private static let unansweredCountMax = 1_024
    /// How long one response may take.
    private static let timeout = Duration.seconds(20)

    /// Creates an upstream. It connects at the first request.
    ///
    /// - Parameters:
    ///   - address: The stream to fetch from.
    ///   - numbering: The numbering by which the cache follows the stream's events.
    public init(_ address: JetStreamAddress, numbering: ReadingSettings.Numbering = .body) {
        self.address = address
        self.numbering = numbering
    }

    /// Fetches the events of a library from a sequence on, up to about 4 MiB.
    ///
    /// - Throws: `UpstreamError`; final when the stream no longer has that sequence, else a retry may succeed.
    public func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamResponse {
        let result: Result<UpstreamResponse, UpstreamError> = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: self.work.withLock { work in
                        do {
                            return .success(try self.answer(sequence.rawValue, library, &work))
                        } catch let error as UpstreamError {
                            return .failure(error)
                        } catch {
                            work.connection = nil
                            return .failure(UpstreamError("\(error)"))
                        }
                    })
            }
        }
        return try result.get()
    }

    private func answer(_ sequence: Int64, _ library: ByteString, _ work: inout Work) throws -> UpstreamResponse {
        let connection = try work.connection ?? NatsConnection(address)
        work.connection = connection
        let api = JetStreamAPI(connection: connection)
        let status = try api.status(of: address.stream)
        let subject = address.subject(of: library)
        var start = max(sequence, status.firstSequence)
        if numbering == .body {
            let end = status.lastSequence + 1
            start =
                status.allowsDirectGets
                ? try BodySearch(api: api, stream: status.name, subject: subject)
                    .first(above: sequence - 1, from: status.firstSequence, before: end)
                : status.firstSequence
        }
        let answer = try lines(from: start, asked: sequence, of: library, status, api)
        let isBeginningThere = answer.first.map { $0 <= sequence } ?? false
        if isBeginningThere {
            work.unanswered[library] = nil
        } else {
            let wasAsked = work.unanswered[library] == sequence
            if work.unanswered.count >= JetStreamUpstream.unansweredCountMax { work.unanswered = [:] }
            work.unanswered[library] = sequence
            if wasAsked || answer.first == nil {
                throw UpstreamError("\(address) does not have number \(sequence) of \(library) any more", isFinal: true)
            }
        }
        var upstreamAnswer = UpstreamResponse(lines: answer.lines)
        if numbering == .stream { upstreamAnswer.origin = .log }
        return upstreamAnswer
    }

    /// Reads messages of a library, up to ``answerByteCountMax`` bytes of lines.
    ///
    /// - Returns: The lines, and the first sequence that they cover: one after the sequence that the first line
    ///   follows. nil when unknown.
    private func lines(
        from start: Int64, asked sequence: Int64, of library: ByteString, _ status: StreamStatus, _ api: JetStreamAPI
    ) throws -> (lines: [UInt8], first: Int64?) {
        var consumer = try PullConsumer(
            api, stream: status.name, filter: address.subject(of: library), from: start)
        var remaining = consumer.pendingCount
        var lines: [UInt8] = []
        var first: Int64?
        let quotedLibrary = quoted(library)
        let quotedEpoch = quoted(ByteString(status.epoch))
        // Sequences that the stream no longer has are not skipped: they are lost.
        var previous = max(sequence - 1, status.firstSequence - 1)
        let deadline = ContinuousClock.now + JetStreamUpstream.timeout
        while remaining > 0, lines.count < JetStreamUpstream.answerByteCountMax {
            guard ContinuousClock.now < deadline else {
                throw JetStreamError(.timedOut, "the stream did not bring its messages in time", advice: "try again")
            }
            _ = try consumer.receive(timeout: 100) { message, place in
                remaining -= 1
                var numbers: MessagePlace.Numbers?
                if numbering == .stream {
                    if status.hasOneSubject { previous = place.sequence - 1 }
                    if let named = message.lastOfSubject,
                        named > previous, named < place.sequence
                    {
                        previous = named
                    }
                    numbers = .init(sequence: place.sequence, previous: previous, quotedEpoch: quotedEpoch)
                    if first == nil { first = previous + 1 }
                    previous = place.sequence
                } else if first == nil {
                    first = StreamMessageLine.sequence(of: Array(message.bytes))
                }
                StreamMessageLine.append(
                    message.bytes, at: MessagePlace(quotedLibrary: quotedLibrary, numbers: numbers), to: &lines)
                return remaining > 0 && lines.count < JetStreamUpstream.answerByteCountMax
            }
        }
        try consumer.end()
        return (lines, first)
    }
}

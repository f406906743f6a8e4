import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Tidemark
import TidemarkModel
import TidemarkJSON

extension CacheServer {
    /// Applies a body of event lines, and responds with its summary once all of it is durable.
    func ingest(_ request: Request, _ channel: (any Channel)?) async throws(Refusal) -> Response {
        guard let live else { throw Refusal(.readOnly, "this server only reads: ask the one that writes") }
        try RequestBodyCheck.type(of: request, "application/x-ndjson")
        let inflater = try Inflater(try Inflater.Coding(request.headers[values: .contentEncoding]))
        channel?.triggerUserOutboundEvent(BodyIsWanted(), promise: nil)
        let start = ContinuousClock.now
        let intake = EventIntake()
        async let applying = CacheServer.apply(intake, live.cache)
        let fault = await CacheServer.read(request.body, inflater, into: intake)
        intake.end(isWhole: fault == nil)
        do throws(StorageError) {
            let applied = try await applying.get()
            let summary = try await CacheServer.summary(of: applied, live.cache, fault, since: start)
            return CacheServer.json(summary, status: fault?.status ?? .ok)
        } catch {
            throw Refusal(.storageFailed, error.description)
        }
    }

    private static func apply(
        _ intake: EventIntake, _ cache: SyncCache
    ) async -> Result<EventIntake.Applied, StorageError> {
        do throws(StorageError) {
            return .success(try await intake.apply(to: cache))
        } catch {
            return .failure(error)
        }
    }

    /// Reads a body to its end.
    ///
    /// - Returns: Why it is incomplete; nil if it is complete.
    private static func read(
        _ body: RequestBody, _ inflater: Inflater, into intake: EventIntake
    ) async -> Refusal? {
        do {
            for try await buffer in body {
                if inflater.isIdentity {
                    await intake.put(buffer.readableBytesView)
                } else {
                    try await inflater.append(Array(buffer.readableBytesView)) { await intake.put($0) }
                }
            }
        } catch let refusal as Refusal {
            return refusal
        } catch {
            return Refusal(.badRequest, "the body broke off: the whole lines before are stored")
        }
        guard inflater.isInside else { return nil }
        return Refusal(.badRequest, "the compressed body broke off: the whole lines before are stored")
    }

    /// Waits until the lines are durable, and returns their summary.
    private static func summary(
        of applied: EventIntake.Applied, _ cache: SyncCache, _ fault: Refusal?, since start: ContinuousClock.Instant
    ) async throws(StorageError) -> [UInt8] {
        var failure: StorageError?
        do throws(StorageError) {
            try await cache.flush(through: applied.counts.lines, of: applied.input)
        } catch {
            failure = error
        }
        let (events, heldCount) = await cache.takeTally(of: applied.input)
        await cache.closeInput(applied.input)
        if let failure { throw failure }
        var counts = events
        counts.lines = applied.counts.lines
        counts.blank = applied.counts.blank
        counts.control = applied.counts.control
        counts.messages = applied.counts.messages
        // Lines in no other bin: events that are still held, or were held when their log ended.
        counts.held = max(
            Int64(heldCount), counts.lines - counts.blank - counts.control - counts.messages - counts.events)
        let milliseconds = max(1, Int64((ContinuousClock.now - start) / .milliseconds(1)))
        let libraries = await cache.libraries().sorted { $0.library < $1.library }
        let entityCount = await cache.entityCount()
        let byteCount = await cache.statistics().diskByteCount
        var line = JSONLine()
        line.object { line in
            line.counts(counts)
            line.member("entities", entityCount)
            line.libraries(libraries)
            line.member("seconds", thousandths: milliseconds)
            line.member("events_per_second", counts.events * 1_000 / milliseconds)
            line.member("db_bytes", byteCount)
            if let fault {
                line.member("incomplete", true)
                line.member("error", json: Optional(fault.error))
            }
        }
        return line.bytes + [0x0A]
    }
}

import Tidemark
import TidemarkJetStream

/// The input of an ingest: standard input, or a JetStream stream.
enum IngestSource: Sendable {
    case descriptor(DescriptorInput)
    case jetStream(JetStreamFeed)

    /// Stops reading; what was read is still applied. Safe to call from a signal's queue.
    func stop() {
        switch self {
        case .descriptor(let input): input.stop()
        case .jetStream(let feed): feed.stop()
        }
    }

    /// True if ``stop()`` ended the reading.
    var wasStopped: Bool {
        switch self {
        case .descriptor(let input): input.wasStopped
        case .jetStream(let feed): feed.wasStopped
        }
    }

    /// How many messages of a stream are unread; nil for standard input, whose end is unknown.
    var pendingCount: Int64? {
        switch self {
        case .descriptor: nil
        case .jetStream(let feed): feed.progress.pendingCount
        }
    }

    func begin(_ cache: SyncCache) async throws -> IngestStream {
        switch self {
        case .descriptor(let input): try await IngestStream(of: input, into: cache)
        case .jetStream(let feed): try await feed.begin(cache)
        }
    }

    /// Closes connections after the last line was read.
    func end() async {
        if case .jetStream(let feed) = self { await feed.end() }
    }

    /// Converts the error of an input that cannot be read.
    func failure(_ error: InputError) -> Failure {
        guard case .jetStream(let feed) = self, let reason = feed.failure else { return EngineStart.failure(error) }
        return Failure(reason, place: "--from", outcome: "everything read before is stored")
    }
}

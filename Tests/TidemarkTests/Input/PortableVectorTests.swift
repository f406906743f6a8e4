import Foundation
import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// Every vector of Protocol/ as a platform without simdjson and zstd plays it: our own first stage, and deflate.
@Suite(.pooled) struct PortableVectorTests {
    /// All vectors but one, which leaves open whether the stream or the upstream brings an event first.
    private static func vectors() throws -> [ProtocolVector] {
        try ProtocolVector.all().filter { $0.name != "traces/upstream-tail" }
    }

    @Test(arguments: try vectors())
    func `a vector ends in the state of the model without libraries too`(_ vector: ProtocolVector) async throws {
        let folder = try TemporaryFolder()
        var journal = SQLiteJournal.Configuration(path: folder.path("cache.db"))
        journal.compression = .deflate
        var model: ReferenceModel?
        for (index, run) in vector.runs.enumerated() {
            let reference = try vector.configuration(of: run)
            var next = model?.restarted(with: reference) ?? ReferenceModel(configuration: reference)
            let input = try vector.input(of: run)
            var upstream: FileUpstream?
            if let log = vector.upstream(of: run) {
                upstream = FileUpstream(
                    path: try folder.write(log, to: "\(index).log"),
                    defaultLibrary: ByteString(reference.defaultLibrary))
            }
            let subject = try await CacheFixture.open(
                try await SQLiteJournal.open(journal), configuration(reference), upstream: upstream,
                clock: ManualClock(skipsUpTo: 60_000))
            try await subject.ingest(input, seed: UInt64(index), endsInput: true, usesLibrary: false)
            next.ingest(input)
            next.endOfInput()
            let differences = try await subject.differences(from: next)
            #expect(differences == [], "run \(index + 1): \(differences)")
            try await subject.cache.close()
            #expect(try SQLiteReader(path: folder.path("cache.db")).verify().problems == [], "run \(index + 1)")
            model = next
        }
    }

    private func configuration(_ reference: ReferenceConfiguration) -> CacheConfiguration {
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.reorderWindow = .milliseconds(3_600_000)
        configuration.defaultLibrary = ByteString(reference.defaultLibrary)
        for (alias, name) in reference.typeAliases { configuration.typeAliases[ByteString(alias)] = ByteString(name) }
        configuration.limits.entityByteCountMax = reference.entityByteCountMax
        return configuration
    }
}

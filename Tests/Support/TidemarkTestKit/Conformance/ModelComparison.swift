import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore

/// Runs one stream through framer, decoder and state, and through the reference model, which shares no code with them.
///
/// ```swift
/// let comparison = ModelComparison(limits: Limits(), upstream: nil, seed: 1)
/// let stream = Array(#"{"sequence":1,"event":"Refresh"}"#.utf8)
/// print(try comparison.differences(of: stream))  // []
/// ```
package struct ModelComparison: Sendable {
    private let limits: Limits
    private let upstream: [UInt8]?
    private let seed: UInt64

    /// Creates a comparison.
    ///
    /// - Parameters:
    ///   - limits: The limits on both sides. Only `lineByteCountMax`, `quarantineByteCountMax` (not above the first),
    ///     `batchMemberCountMax`, `entityByteCountMax` and `heldEventCountMax` may differ from the default.
    ///   - upstream: The log from which both sides get missing events; nil for none.
    ///   - seed: Decides where the stream is cut into chunks.
    package init(limits: Limits, upstream: [UInt8]?, seed: UInt64) {
        self.limits = limits
        self.upstream = upstream
        self.seed = seed
    }

    /// Compares the final states of both sides: summary, export and quarantine.
    ///
    /// - Returns: The differences in words; empty if both agree.
    /// - Throws: ``TidemarkWire/WireError``.
    package func differences(of stream: [UInt8]) throws -> [String] { try differences(ofRuns: [stream]) }

    /// Compares like ``differences(of:)``, but over several inputs, each read to its end. A sequence that was lost in
    /// one input may arrive in a later one.
    ///
    /// - Throws: ``TidemarkWire/WireError``.
    package func differences(ofRuns streams: [[UInt8]]) throws -> [String] {
        var configuration = ReferenceConfiguration()
        configuration.typeAliases = ReferenceConfiguration.spacedriveAliases
        configuration.batchCountMax = limits.batchMemberCountMax
        configuration.lineByteCountMax = limits.lineByteCountMax
        configuration.entityByteCountMax = limits.entityByteCountMax
        configuration.quarantineByteCountMax = limits.quarantineByteCountMax
        configuration.heldCountMax = limits.heldEventCountMax
        configuration.upstream = upstream
        var model = ReferenceModel(configuration: configuration)
        for stream in streams {
            model.ingest(stream)
            model.endOfInput()
        }

        var subject = StateFixture(limits: limits, typeAliases: ["entry": "file"], upstream: upstream, seed: seed)
        for stream in streams {
            try subject.ingest(stream)
            try subject.endOfInput()
        }

        var differences: [String] = []
        let (summary, wanted) = (subject.summaryLine(), String(decoding: model.summary.line, as: UTF8.self))
        if summary != wanted { differences.append("summary\n  is        \(summary)\n  should be \(wanted)") }
        ModelComparison.compare(
            "export", subject.exportLines(), model.exportLines().map { String(decoding: $0, as: UTF8.self) },
            &differences)
        let found = subject.quarantine.map { record in
            ModelComparison.describe(
                line: record.line, offset: record.offset, reason: record.reason.code, library: record.library?.bytes,
                sequence: record.sequence?.rawValue)
        }
        let records = model.quarantine.map { record in
            ModelComparison.describe(
                line: Int64(record.place.line), offset: Int64(record.place.offset), reason: record.reason.rawValue,
                library: record.library, sequence: record.sequence)
        }
        // Sort both lists, because members that are counted when their gap ends arrive in the order in which gaps end.
        ModelComparison.compare("quarantine", found.sorted(), records.sorted(), &differences)
        return differences
    }

    private static func compare(
        _ name: String, _ found: [String], _ wanted: [String], _ differences: inout [String]
    ) {
        guard found != wanted else { return }
        let index = zip(found, wanted).prefix { $0 == $1 }.count
        let (own, other) = (found.dropFirst(index).first ?? "nothing", wanted.dropFirst(index).first ?? "nothing")
        differences.append("\(name), entry \(index)\n  is        \(own)\n  should be \(other)")
    }

    /// Describes a quarantine record. Without a sequence, a missing library and the default library are equivalent.
    private static func describe(
        line: Int64, offset: Int64, reason: String, library: [UInt8]?, sequence: Int64?
    ) -> String {
        let isNothing = sequence == nil && library?.isEmpty != false
        let name = isNothing ? "-" : library.map { String(decoding: $0, as: UTF8.self) } ?? "-"
        return "\(line) \(offset) \(reason) \(name) \(sequence.map { "\($0)" } ?? "-")"
    }
}

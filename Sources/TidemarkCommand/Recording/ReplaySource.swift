import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkRecording

/// The input of a replay: a recording, or a plain stream of events.
struct ReplaySource {
    private enum Reader {
        case recording(RecordingReader)
        case stream(StreamStepReader)
    }

    private let reader: Reader
    private let path: String
    let setup: RecordingSetup
    let policy: CachePolicy

    /// Opens a recording or a plain stream.
    ///
    /// - Parameters:
    ///   - path: The file; its first line shows whether it is a recording.
    ///   - stream: Options for a plain stream.
    /// - Throws: ``Failure`` if the file is neither, or cannot be read.
    init(_ path: String, stream: ReplayedStreamOptions) throws {
        self.path = path
        let found = try ReplaySource.mapped(path) { () throws(RecordingError) in
            try RecordingReader.isRecording(path) ? Reader.recording(RecordingReader(path)) : nil
        }
        if let found, case .recording(let recording) = found {
            guard !stream.isGiven else {
                throw Failure.usage(
                    "--profile and --policy are for plain streams; the recording says how it was read",
                    advice: "leave them out")
            }
            reader = found
            setup = recording.setup
            policy = try ReplaySource.policy(recording.setup.policy, path)
            return
        }
        var configuration = CacheConfiguration()
        policy = try stream.policy.policy()
        configuration.policy = policy
        if let profile = stream.profile { configuration.apply(profile) }
        let isStream = try ReplaySource.mapped(path) { () throws(RecordingError) in
            try StreamStepReader.isStream(path, limits: configuration.limits)
        }
        guard isStream else {
            throw Failure(
                .badData, "bad_recording", "the file is not a recording, and no line at its start is an event",
                place: path,
                outcome: "nothing was replayed",
                advice: "pass what run --record or ingest --record wrote, or a stream of events")
        }
        setup = RecordingSetup(
            configuration, command: "replay", openedAt: 0, base: .empty, hasUpstream: false,
            policy: try stream.policy.text())
        reader = .stream(
            try ReplaySource.mapped(path) { () throws(RecordingError) in
                try StreamStepReader(path, limits: configuration.limits)
            })
    }

    /// True if the source contains outcomes to compare with.
    var isRecording: Bool { if case .recording = reader { true } else { false } }

    /// The database with which the recording began; empty if it contains none.
    var base: [UInt8] { if case .recording(let reader) = reader { reader.base } else { [] } }

    /// Why the recording ends; nil for a stream, or if the recorder wrote no reason.
    var endReason: String? { if case .recording(let reader) = reader { reader.endReason } else { nil } }

    /// The error for an incomplete last line; nil if the line is complete.
    var tornLine: RecordingError? { if case .recording(let reader) = reader { reader.tornLine } else { nil } }

    /// Returns the next step; nil at the end.
    ///
    /// - Throws: ``Failure`` with the place of a line that cannot be used.
    func next() throws(Failure) -> RecordingReader.Entry? {
        try ReplaySource.mapped(path) { () throws(RecordingError) in
            switch reader {
            case .recording(let reader): try reader.next()
            case .stream(let reader): try reader.next()
            }
        }
    }

    private static func policy(_ text: [UInt8], _ path: String) throws(Failure) -> CachePolicy {
        guard !text.isEmpty else { return CachePolicy() }
        do throws(GraphQLErrors) {
            return try CachePolicy.read(text)
        } catch {
            throw Failure(
                .badData, "bad_policy", "the policy in the recording has \(HumanText.count(error.count, "error"))",
                place: path, outcome: "nothing was replayed", advice: "use the tidemark that made the recording")
        }
    }

    private static func mapped<Value>(_ path: String, _ body: () throws(RecordingError) -> Value) throws(Failure)
        -> Value
    {
        do throws(RecordingError) {
            return try body()
        } catch {
            let place = error.place.isEmpty ? path : "\(path): \(error.place)"
            switch error.code {
            case .notFound:
                throw Failure(
                    .noInput, "not_found", error.message, outcome: "nothing was replayed", advice: "check the name")
            case .inputOutput:
                throw Failure(
                    .inputOutput, "input_output", error.message, place: place, outcome: "the replay stopped there",
                    advice: "check the disk and the file's permissions")
            case .badLine, .noBase, .torn:
                throw Failure(
                    .badData, "bad_recording", error.message, place: place, outcome: "the replay stopped there",
                    advice: "the steps before it can be replayed with --to-sequence")
            }
        }
    }
}

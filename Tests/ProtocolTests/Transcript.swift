import Foundation
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// One file of Protocol/vectors/sessions. Its format: Protocol/vectors/README.md.
struct Transcript: Sendable, CustomStringConvertible {
    let name: String
    let lines: [ReferenceJSON]

    var description: String { name }

    /// Every transcript, in the order of their names.
    static func all() throws -> [Transcript] {
        let folder = ProtocolVector.protocolFolder.appending(path: "vectors/sessions")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "ndjson" }.sorted { $0.path < $1.path }.map { file in
            let lines = Array(try Data(contentsOf: file)).split(separator: 0x0A)
            return Transcript(
                name: file.deletingPathExtension().lastPathComponent,
                lines: try lines.map { try ReferenceJSONParser.parse(Array($0)) })
        }
    }

    /// The arguments after `tidemark run --db DB`.
    var arguments: [String] {
        (lines.first?.member("arguments")?.elements ?? []).compactMap(\.text).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The lines of a log for `--upstream file:`; nil when there is none.
    var upstream: [UInt8]? {
        lines.first?.member("upstream")?.elements?.reduce(into: []) { $0 += $1.written + [0x0A] }
    }

    /// The type definitions for `--schema`; nil when there are none.
    var schema: [UInt8]? { lines.first?.member("schema")?.text.map { Array($0) } }

    /// Plays the transcript as ``play(database:upstreamPath:options:)`` does, on a thread that may block.
    func playAside(
        in folder: TemporaryFolder, database: String, options: @escaping @Sendable (Int) -> [String] = { _ in [] }
    ) async throws -> [String] {
        let upstreamPath = try upstream.map { try folder.write($0, to: "upstream.ndjson") }
        let schemaPath = try schema.map { try folder.write($0, to: "schema.graphql") }
        let own: @Sendable (Int) -> [String] = { (schemaPath.map { ["--schema", $0] } ?? []) + options($0) }
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try play(database: database, upstreamPath: upstreamPath, options: own) })
            }
        }
    }

    /// Plays the host's part against the built command, and compares the cache's part.
    ///
    /// - Parameter options: Returns additional options for each start of the command, counted from 0.
    /// - Returns: The differences in order; empty when there are none.
    func play(database: String, upstreamPath: String?, options: (Int) -> [String] = { _ in [] }) throws -> [String] {
        let upstream = upstreamPath.map { ["--upstream", "file:\($0)"] } ?? []
        let invocation = ["run", "--db", database] + arguments + upstream
        var startCount = 0
        var command = try LiveCommand(invocation + options(startCount))
        var comparison = TranscriptComparison()
        var problems: [String] = []
        /// The lines since the start of the command that no line of the transcript has matched yet.
        var passed: [[UInt8]] = []
        for (index, line) in lines.enumerated().dropFirst() where problems.isEmpty {
            if let restart = line.member("restart")?.text {
                let isKilled = restart == Array("KILL".utf8)
                problems = end(command, isKilled: isKilled).map { "line \(index + 1): \($0)" }
                startCount += 1
                command = try LiveCommand(invocation + options(startCount))
                passed = []
            } else {
                problems = step(line, command, &comparison, &passed).map { "line \(index + 1): \($0)" }
            }
        }
        let (status, errors, rest) = command.finish(seconds: Transcript.patience)
        for line in rest where !TranscriptComparison.isPassedOver(line) {
            problems.append("at the end: unexpected \(String(decoding: line, as: UTF8.self))")
        }
        if status != 0 { problems.append("at the end: status \(status)") }
        if !problems.isEmpty, !errors.isEmpty { problems.append("standard error: \(errors)") }
        return problems
    }

    /// Ends the command in the middle of a transcript: by the end of its input, or as `kill -9` does.
    private func end(_ command: LiveCommand, isKilled: Bool) -> [String] {
        if isKilled { command.send(signal: SIGKILL) }
        let (status, errors, rest) = command.finish(seconds: Transcript.patience)
        if isKilled { return [] }
        let unexpected = rest.filter { !TranscriptComparison.isPassedOver($0) }
        return unexpected.map { "unexpected \(String(decoding: $0, as: UTF8.self))" }
            + (status == 0 ? [] : ["status \(status): \(errors)"])
    }

    /// The seconds to wait for a line. After them the input is closed and the rest is read, so that a hang becomes a
    /// failure.
    private static let patience = 20.0

    private func step(
        _ line: ReferenceJSON, _ command: LiveCommand, _ comparison: inout TranscriptComparison,
        _ passed: inout [[UInt8]]
    ) -> [String] {
        if line.member("say")?.text == Array("host".utf8) {
            if line.member("end") != nil {
                command.closeInput()
            } else if line.member("signal") != nil {
                command.send(signal: SIGTERM)
            } else {
                let values = line.member("lines")?.elements ?? line.member("line").map { [$0] } ?? []
                command.write(values.reduce(into: []) { $0 += comparison.hostLine($1) + [0x0A] })
            }
            return []
        }
        var wanted = line.member("unordered")?.elements ?? line.member("line").map { [$0] } ?? []
        // A line that comes at its own time, such as `durable`, may have come before the transcript expects it.
        wanted.removeAll { wanted in
            guard let index = passed.firstIndex(where: { comparison.takes(wanted, $0) }) else { return false }
            passed.remove(at: index)
            return true
        }
        while !wanted.isEmpty {
            switch command.next(seconds: Transcript.patience) {
            case .end: return ["the cache said nothing more; wanted \(wanted)"]
            case .late: return ["the cache said nothing; wanted \(wanted)"]
            case .line(let bytes):
                if let index = wanted.firstIndex(where: { comparison.takes($0, bytes) }) {
                    wanted.remove(at: index)
                } else if TranscriptComparison.isPassedOver(bytes) {
                    passed.append(bytes)
                } else {
                    return ["found \(String(decoding: bytes, as: UTF8.self)); wanted \(wanted)"]
                }
            }
        }
        return []
    }
}

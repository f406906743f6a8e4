import Foundation
import TidemarkReferenceModel

/// One file of Protocol/vectors, read with the reference parser. Its format: Protocol/vectors/README.md.
package struct ProtocolVector: Sendable, CustomStringConvertible {
    /// The name as `group/name`, for messages.
    package let name: String
    package let json: ReferenceJSON
    private let file: URL

    /// The reason why a vector cannot be used.
    package struct Malformed: Error, CustomStringConvertible {
        package let description: String
    }

    /// The folder Protocol/ in the source tree of this build.
    package static let protocolFolder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Protocol")

    /// Every vector, group by group, in the order of their names.
    ///
    /// - Throws: The error of the file system or the parser.
    package static func all() throws -> [ProtocolVector] {
        var vectors: [ProtocolVector] = []
        for group in ["valid", "invalid", "traces"] {
            let files = try FileManager.default.contentsOfDirectory(
                at: protocolFolder.appending(path: "vectors/\(group)"), includingPropertiesForKeys: nil)
            for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "json" {
                let json = try ReferenceJSONParser.parse(Array(try Data(contentsOf: file)))
                let name = "\(group)/\(file.deletingPathExtension().lastPathComponent)"
                vectors.append(ProtocolVector(name: name, json: json, file: file))
            }
        }
        return vectors
    }

    package var description: String { name }

    package var runs: [ReferenceJSON] { json.member("runs")?.elements ?? [] }

    /// The lines that `tidemark export` prints at the end; nil when the vector does not check them.
    package var exportLines: [String]? {
        json.member("export")?.elements?.compactMap(\.text).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes that a run feeds.
    ///
    /// - Throws: ``Malformed``, and the error of the file system.
    package func input(of run: ReferenceJSON) throws -> [UInt8] {
        if let encoded = run.member("input_base64")?.text {
            guard let data = Data(base64Encoded: Data(encoded)) else {
                throw Malformed(description: "\(name): input_base64 is no Base64")
            }
            return Array(data)
        }
        if let path = run.member("input_file")?.text {
            let target = file.deletingLastPathComponent().appending(path: String(decoding: path, as: UTF8.self))
            return Array(try Data(contentsOf: target))
        }
        guard let lines = run.member("input") else { throw Malformed(description: "\(name): a run without input") }
        return joined(lines)
    }

    /// The log that a run's upstream answers from; nil when the run has no upstream.
    package func upstream(of run: ReferenceJSON) -> [UInt8]? { run.member("upstream").map(joined) }

    /// The arguments after `tidemark ingest --db DB`.
    package func arguments(of run: ReferenceJSON) -> [String] {
        (run.member("arguments")?.elements ?? []).compactMap(\.text).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The status that a run exits with.
    package func exitStatus(of run: ReferenceJSON) -> Int32? {
        run.member("exit")?.integerText.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }

    /// The configuration that a run's flags and upstream ask for.
    ///
    /// - Throws: ``Malformed`` for a flag that the model does not have.
    package func configuration(of run: ReferenceJSON) throws -> ReferenceConfiguration {
        var configuration = ReferenceConfiguration()
        var flags = arguments(of: run)[...]
        while let flag = flags.popFirst() {
            switch (flag, flag == "--strict" ? nil : flags.popFirst()) {
            case ("--library", let library?): configuration.defaultLibrary = Array(library.utf8)
            case ("--profile", "spacedrive"): configuration.typeAliases = ReferenceConfiguration.spacedriveAliases
            case ("--strict", _): break
            case ("--max-entity-bytes", let count?):
                guard let count = Int(count) else {
                    throw Malformed(description: "\(name): --max-entity-bytes \(count) is no number")
                }
                configuration.entityByteCountMax = count
            default: throw Malformed(description: "\(name): the model has no flag \(flag)")
            }
        }
        configuration.upstream = upstream(of: run)
        return configuration
    }

    /// Joins lines to a stream, each with its LF.
    private func joined(_ lines: ReferenceJSON) -> [UInt8] {
        (lines.elements ?? []).compactMap(\.text).reduce(into: []) { $0 += $1 + [0x0A] }
    }
}

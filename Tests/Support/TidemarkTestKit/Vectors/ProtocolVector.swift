import Foundation
import TidemarkReferenceModel

/// One file of Protocol/vectors, read with the reference parser. Protocol/vectors/README.md describes its format.
package struct ProtocolVector: Sendable, CustomStringConvertible {
    /// The name as `group/name`, for messages.
    package let name: String
    /// The content of the file.
    package let json: ReferenceJSON
    private let file: URL

    /// Why a vector cannot be used.
    package struct Malformed: Error, CustomStringConvertible {
        /// The reason in words.
        package let description: String
    }

    /// The folder Protocol/ in the source tree of this build.
    package static let protocolFolder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Protocol")

    /// Returns every vector, group by group, sorted by name.
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

    /// The name of the vector.
    package var description: String { name }

    /// The runs of the vector, in order; empty if it has none.
    package var runs: [ReferenceJSON] { json.member("runs")?.elements ?? [] }

    /// The lines that `tidemark export` prints at the end; nil if the vector does not check them.
    package var exportLines: [String]? {
        json.member("export")?.elements?.compactMap(\.text).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the input of a run.
    ///
    /// - Throws: ``Malformed``, or the error of the file system.
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

    /// Returns the log of a run's upstream; nil if the run has no upstream.
    package func upstream(of run: ReferenceJSON) -> [UInt8]? { run.member("upstream").map(joined) }

    /// Returns the arguments after `tidemark ingest --db DB`.
    package func arguments(of run: ReferenceJSON) -> [String] {
        (run.member("arguments")?.elements ?? []).compactMap(\.text).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the expected exit status of a run; nil if the run does not check it.
    package func exitStatus(of run: ReferenceJSON) -> Int32? {
        run.member("exit")?.integerText.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns the configuration that a run's flags and upstream require.
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

    /// Joins lines into a stream, each with its LF.
    private func joined(_ lines: ReferenceJSON) -> [UInt8] {
        (lines.elements ?? []).compactMap(\.text).reduce(into: []) { $0 += $1 + [0x0A] }
    }
}

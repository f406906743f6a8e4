import Foundation
import Testing
import TidemarkTesting

/// One file of Protocol/vectors, read with the reference parser. Its format: Protocol/vectors/README.md.
struct ProtocolVector: Sendable, CustomTestStringConvertible {
    /// `group/name`, for messages.
    let name: String
    let json: ReferenceJSON
    private let file: URL

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Protocol/vectors")

    static func all() throws -> [ProtocolVector] {
        var vectors: [ProtocolVector] = []
        for group in ["valid", "invalid", "traces"] {
            let files = try FileManager.default.contentsOfDirectory(
                at: folder.appending(path: group), includingPropertiesForKeys: nil)
            for file in files.sorted(by: { $0.path < $1.path }) where file.pathExtension == "json" {
                let json = try ReferenceJSONParser.parse(Array(try Data(contentsOf: file)))
                let name = "\(group)/\(file.deletingPathExtension().lastPathComponent)"
                vectors.append(ProtocolVector(name: name, json: json, file: file))
            }
        }
        return vectors
    }

    var testDescription: String { name }

    var runs: [ReferenceJSON] { json.member("runs")?.elements ?? [] }

    /// The bytes that a run feeds.
    func input(of run: ReferenceJSON) throws -> [UInt8] {
        if let encoded = run.member("input_base64")?.text {
            let data = try #require(Data(base64Encoded: Data(encoded)))
            return Array(data)
        }
        if let path = run.member("input_file")?.text {
            let target = file.deletingLastPathComponent().appending(path: String(decoding: path, as: UTF8.self))
            return Array(try Data(contentsOf: target))
        }
        return joined(try #require(run.member("input")))
    }

    /// Lines as a stream: each with its LF.
    func joined(_ lines: ReferenceJSON) -> [UInt8] {
        (lines.elements ?? []).compactMap(\.text).reduce(into: []) { $0 += $1 + [0x0A] }
    }

    /// The configuration that a run's flags and upstream ask for.
    func configuration(of run: ReferenceJSON) throws -> ReferenceConfiguration {
        var configuration = ReferenceConfiguration()
        var flags = (run.member("arguments")?.elements ?? []).compactMap(\.text)[...]
        while let flag = flags.popFirst() {
            switch String(decoding: flag, as: UTF8.self) {
            case "--library":
                let library = flags.popFirst()
                configuration.defaultLibrary = try #require(library)
            case "--profile":
                let profile = flags.popFirst()
                #expect(profile == Array("spacedrive".utf8))
                configuration.typeAliases = ReferenceConfiguration.spacedriveAliases
            case "--strict": break
            case let other: Issue.record("\(name): the model has no flag \(other)")
            }
        }
        configuration.upstream = run.member("upstream").map(joined)
        return configuration
    }
}

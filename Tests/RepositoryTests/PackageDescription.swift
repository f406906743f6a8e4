import Foundation
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The package as the package manager describes it, and not as its manifest is written.
struct PackageDescription: Decodable {
    /// A target of the package.
    struct Target: Decodable {
        let name: String
        let type: String
        let path: String?
        /// Each dependency is an object with one member, the kind, whose first element is the name.
        let dependencies: [[String: [Element?]]]

        /// The names of the targets of this package that it depends on, and of products of others.
        var names: Set<String> { Set(dependencies.flatMap(\.values).compactMap { $0.first??.text }) }
    }

    /// An element of a dependency: a name, or a condition.
    struct Element: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            do {
                text = try decoder.singleValueContainer().decode(String.self)
            } catch DecodingError.typeMismatch {
                text = nil
            }
        }
    }

    struct Product: Decodable {
        let name: String
        /// An object with one member, the kind.
        let type: [String: [String]?]
    }

    struct Platform: Decodable {
        let platformName: String
        let version: String
    }

    struct ToolsVersion: Decodable {
        let version: String

        private enum CodingKeys: String, CodingKey { case version = "_version" }
    }

    let targets: [Target]
    let products: [Product]
    let platforms: [Platform]
    let toolsVersion: ToolsVersion

    /// What the package manager prints.
    static let text = Task { () throws -> [UInt8] in
        let folder = try TemporaryFolder()
        let result = try await CommandRunner(executable: "/usr/bin/env").run([
            "swift", "package", "--package-path", Tree.url("").path, "--scratch-path", folder.path, "dump-package",
        ])
        try #require(result.status == 0, "\(result.errorText)")
        return result.output
    }

    private static let read = Task {
        try JSONDecoder().decode(PackageDescription.self, from: Data(try await PackageDescription.text.value))
    }

    /// The description of this package.
    static var here: PackageDescription { get async throws { try await read.value } }

    /// The targets by name.
    static var targets: [String: Target] {
        get async throws {
            Dictionary(uniqueKeysWithValues: try await here.targets.map { ($0.name, $0) })
        }
    }

    /// The libraries for users, without the extension of the sqlite3 shell.
    var libraries: [String] {
        products.filter { $0.type["library"] != nil && $0.name.hasPrefix("Tidemark") }.map(\.name)
    }
}

import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The package names the modules that a target imports: with one missing, a build succeeds or fails by the order in
/// which modules happen to be compiled; with one too many, a target waits for a module that it does not use.
@Suite(.pooled, .tags(.process)) struct ManifestTests {
    @Test func `the table of modules is that of the package`() async throws {
        let result = try await CommandRunner(executable: "/usr/bin/env").run(
            ["python3", Tree.url("docs/modules.py").path, "--check"],
            input: try await PackageDescription.text.value)
        #expect(result.status == 0, "\(result.errorText)")
    }

    /// Returns the Swift files of a target; none for a target in C.
    private func files(of target: PackageDescription.Target) throws -> [String] {
        let folder = target.path ?? "\(target.type == "test" ? "Tests" : "Sources")/\(target.name)"
        guard Tree.exists(folder) else { return [] }
        return try Tree.paths(in: folder).filter { $0.hasSuffix(".swift") }
    }

    @Test func `a target depends on every module that it imports`() async throws {
        let targets = try await PackageDescription.targets
        #expect(targets.count > 40, "the package was read only in part")
        for target in targets.values {
            for file in try files(of: target) where target.name != "tidemark-bench" || !file.contains("/Peers/") {
                for (number, line) in try Tree.codeLines(file) {
                    guard let module = importedModule(line), targets[module] != nil else { continue }
                    #expect(
                        target.names.contains(module), "\(file):\(number): \(target.name) does not depend on \(module)")
                }
            }
        }
    }

    /// Targets that are started, and not imported.
    private static let started: Set = ["tidemark-bench"]

    @Test func `a target imports every module that it depends on`() async throws {
        let targets = try await PackageDescription.targets
        for target in targets.values where target.type != "plugin" {
            let files = try files(of: target)
            let imported = Set(try files.flatMap { try Tree.codeLines($0).compactMap { importedModule($0.1) } })
            let own = target.names.intersection(targets.keys)
            let unused = own.subtracting(imported).subtracting(ManifestTests.started)
            #expect(
                files.isEmpty || unused.isEmpty,
                "\(target.name) depends on \(unused.sorted()), and imports none of them")
        }
    }

    @Test func `the reference model shares no code with the engine`() async throws {
        let target = try #require(try await PackageDescription.targets["TidemarkReferenceModel"])
        #expect(target.dependencies.isEmpty, "the model that tests compare with has to be written a second time")
    }

    @Test func `nothing that ships depends on the tests' equipment`() async throws {
        let targets = try await PackageDescription.targets
        let equipment = Set(targets.values.filter { $0.path?.hasPrefix("Tests/") == true }.map(\.name))
        #expect(equipment.count >= 4)
        for target in targets.values where target.path == nil && target.type != "test" {
            let used = target.names.intersection(equipment)
            #expect(used.isEmpty, "\(target.name) depends on \(used.sorted())")
        }
    }

    private func importedModule(_ line: String) -> String? {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "import"), place < 2, place + 1 < words.count else { return nil }
        return String(words[place + 1])
    }
}

import Foundation
import Testing
import TidemarkTestKit

/// `Package.swift` names the modules of the package that a target imports: with one missing, a build succeeds or fails
/// by the order in which modules happen to be compiled; with one too many, a target waits for what it does not use.
@Suite struct ManifestTests {
    @Test func `a target depends on every module that it imports`() throws {
        let targets = try targets()
        #expect(targets.count > 40, "the manifest was read only in part")
        for (name, text) in targets {
            let folder = ["Sources", "Tests"].map { "\($0)/\(name)" }.first(where: Tree.exists)
            guard let folder, try Tree.paths(in: folder).contains(where: { $0.hasSuffix(".swift") }) else { continue }
            for file in try Tree.swiftFiles(in: folder) {
                for (number, line) in try Tree.codeLines(file) {
                    guard let module = importedModule(line), targets[module] != nil else { continue }
                    #expect(text.contains("\"\(module)\""), "\(file):\(number): \(name) does not depend on \(module)")
                }
            }
        }
    }

    /// Programs that tests start, which have no module to import.
    private static let started: Set = ["CTestProcess", "tidemark-bench"]

    @Test func `a target imports every module that it depends on`() throws {
        let targets = try targets()
        for (name, text) in targets {
            let folder = ["Sources", "Tests"].map { "\($0)/\(name)" }.first(where: Tree.exists)
            guard let folder else { continue }
            let files = try Tree.paths(in: folder).filter { $0.hasSuffix(".swift") }
            let imported = Set(try files.flatMap { try Tree.codeLines($0).compactMap { importedModule($0.1) } })
            let named = Set(text.matches(of: /"(\w+)"/).map { String($0.1) }).subtracting([name])
            let unused = named.intersection(targets.keys).subtracting(imported).subtracting(ManifestTests.started)
            #expect(files.isEmpty || unused.isEmpty, "\(name) depends on \(unused.sorted()), and imports none of them")
        }
    }

    @Test func `the reference model shares no code with the engine`() throws {
        let text = try #require(try targets()["TidemarkReferenceModel"])
        #expect(!text.contains("dependencies:"), "what tests compare with has to be written a second time")
    }

    /// Returns the part of the manifest about each target, by the target's name.
    private func targets() throws -> [String: Substring] {
        let manifest = try Tree.text("Package.swift")
        let start = try #require(manifest.range(of: "\n    targets: ["), "the manifest has no targets")
        let text = manifest[start.upperBound...]
        let heads = text.matches(
            of: /\n {8}\.(?:target|testTarget|executableTarget|systemLibrary|plugin)\(\s*name: "([^"]+)"/)
        var targets: [String: Substring] = [:]
        for (index, head) in heads.enumerated() {
            let end = index + 1 < heads.count ? heads[index + 1].range.lowerBound : text.endIndex
            targets[String(head.1)] = text[head.range.upperBound..<end]
        }
        return targets
    }

    private func importedModule(_ line: String) -> String? {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "import"), place < 2, place + 1 < words.count else { return nil }
        return String(words[place + 1])
    }
}

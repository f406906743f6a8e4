import Foundation
import TestTraits
import Testing
import TidemarkTestKit

/// Rules for the whole tree; each failure names the file.
@Suite(.pooled, .tags(.process)) struct RepositoryTests {
    @Test func `the README stays short`() throws {
        #expect(try Tree.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count < 200)
    }

    @Test func `every command in a document exists`() async throws {
        let known = try await commandNames()
        #expect(known.count >= 9)
        for document in try Tree.documents() {
            for command in try commands(in: Tree.text(document)) {
                #expect(known.contains(command), "\(document) mentions tidemark \(command)")
            }
        }
    }

    @Test func `every link in a document leads to a file`() throws {
        for document in try Tree.documents() {
            let folder = (document as NSString).deletingLastPathComponent
            for match in try Tree.text(document).matches(of: /\]\(([^)#]+)[^)]*\)/) {
                let target = String(match.1)
                if target.contains("://") { continue }
                let path = folder.isEmpty ? target : folder + "/" + target
                #expect(Tree.exists(path), "\(document) links to \(target)")
            }
        }
    }

    @Test func `lines of prose end at 120 columns`() throws {
        for document in try Tree.documents() {
            var isCode = false
            for (number, line) in try Tree.text(document).split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated()
            {
                if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
                // Tables, code and markup cannot be broken; neither can one piece of code, nor the target of a link.
                if isCode || line.count <= 120 || line.hasPrefix("|") || line.hasPrefix("    ") || line.hasPrefix("<") {
                    continue
                }
                let text = line.replacing(/`[^`]*`/, with: "``").replacing(/\]\([^)]*\)/, with: "]")
                #expect(text.count <= 60, "\(document):\(number + 1) has \(line.count) columns")
            }
        }
    }

    @Test func `every make target in a document exists`() throws {
        let makefile = try Tree.text("Makefile")
        for document in try Tree.documents() {
            for match in try Tree.text(document).matches(of: /`make ([a-z-]+)/) {
                #expect(makefile.contains("\n\(match.1):"), "\(document) mentions make \(match.1)")
            }
        }
    }

    @Test func `sources never crash on purpose, sleep or ignore an error`() throws {
        let banned = [
            "try!", "try?", "as!", "fatalError(", "Task.sleep", "nonisolated(unsafe)", "unsafelyUnwrapped",
        ]
        for file in try Tree.swiftFiles(in: "Sources") {
            let text = try Tree.text(file)
            let present = banned.filter { text.contains($0) }
            for (number, line) in present.isEmpty ? [] : try Tree.codeLines(file) {
                let words = line.split { !($0.isLetter || $0.isNumber || "._!?()".contains($0)) }
                for word in present {
                    #expect(
                        !words.contains { $0.hasPrefix(word) || $0.contains(".\(word)") },
                        "\(file):\(number) says \(word)")
                }
            }
        }
    }

    @Test func `every unchecked sendable type has a proof`() throws {
        for file in try Tree.swiftFiles(in: "Sources") {
            let text = try Tree.text(file)
            if text.contains("@unchecked Sendable") {
                #expect(
                    text.contains("/// Sendable because ") || text.contains("/// Sendable by "),
                    "\(file) does not say why its type is sendable")
            }
        }
    }

    @Test func `sources never force an optional`() throws {
        // The pattern finds an exclamation mark after a name or a bracket, but not that of `!=`.
        let pattern = /[A-Za-z0-9_\)\]\}]!(?!=)/
        for file in try Tree.swiftFiles(in: "Sources") {
            for (number, line) in try Tree.codeLines(file) where line.utf8.contains(UInt8(ascii: "!")) {
                #expect(line.firstMatch(of: pattern) == nil, "\(file):\(number) forces an optional: \(line)")
            }
        }
    }

    @Test func `no file is longer than the limit for one idea`() throws {
        for file in try Tree.swiftFiles(in: "Sources") {
            let lines = try Tree.text(file).split(separator: "\n", omittingEmptySubsequences: false)
            // Documentation costs a reader of the code nothing.
            let count = lines.count { !$0.drop { $0 == " " }.hasPrefix("//") }
            #expect(count <= 351, "\(file) has \(count - 1) lines without comments")
        }
    }

    @Test func `the command line writes through Output only`() throws {
        let pattern = /(^|[^A-Za-z0-9_.])(print|debugPrint|dump|puts|printf)\(/
        for file in try Tree.swiftFiles(in: "Sources/TidemarkCommand") {
            for (number, line) in try Tree.codeLines(file) where line.utf8.contains(UInt8(ascii: "(")) {
                #expect(line.firstMatch(of: pattern) == nil, "\(file):\(number) prints: \(line)")
            }
        }
    }

    @Test func `the files of a build are ignored`() throws {
        let ignored = try Tree.text(".gitignore").split(separator: "\n").map(String.init)
        for entry in [".build*/", "Package.resolved", ".swiftpm/", "*.xcodeproj", "DerivedData/", "/demo.db*"] {
            #expect(ignored.contains(entry), ".gitignore does not say \(entry)")
        }
    }

    @Test func `the changelog starts with the version that the command prints`() async throws {
        let version = try await CommandRunner().run(["--version"]).outputLines.first ?? "none"
        let headings = try Tree.text("docs/changelog.md").split(separator: "\n").filter { $0.hasPrefix("## ") }
        // Between two releases a heading for unreleased changes may come first.
        #expect(headings.filter { $0 != "## Unreleased" }.first == "## \(version)")
        #expect(try Tree.text("README.md").contains("from: \"\(version)\""))
    }

    @Test func `the repository has a licence, rules and hosted checks`() throws {
        for path in ["LICENSE", "NOTICE", "CONTRIBUTING.md", "SECURITY.md", ".spi.yml", ".github/workflows/ci.yml"] {
            #expect(Tree.exists(path), "\(path) is not there")
        }
        #expect(try Tree.text("LICENSE").contains(/Apache License\n *Version 2.0, January 2004/))
        // Every name in the hosted workflow must exist here.
        let workflow = try Tree.text(".github/workflows/ci.yml")
        let makefile = try Tree.text("Makefile")
        for match in workflow.matches(of: /run: make ([a-z-]+)/) {
            #expect(makefile.contains("\n\(match.1):"), "the hosted workflow says make \(match.1)")
        }
        for match in workflow.matches(of: /run: (\.ci\/[a-z]+)/) {
            #expect(Tree.exists(String(match.1)), "the hosted workflow runs \(match.1)")
        }
    }

    @Test func `the program in the guide of scopes is the example of ScopeFeed, which is compiled`() throws {
        let guide = try Tree.text("docs/scopes.md")
        let program = try #require(guide.firstMatch(of: /```swift\n((?s:.*?))\n```/)).1
        let comment = program.split(separator: "\n").map { "/// \($0)\n" }.joined()
        let source = try Tree.text("Sources/TidemarkScopeFeed/ScopeFeed.swift")
        #expect(program.contains("ScopeFeed(") && source.contains(comment))
    }

    @Test func `documentation is built for every library, and for nothing else`() async throws {
        let libraries = try await PackageDescription.here.libraries
        let documented = try Tree.text(".spi.yml").matches(of: /- (Tidemark\w*)/).map { String($0.1) }
        #expect(!libraries.isEmpty && documented.sorted() == libraries.sorted())
    }

    @Test func `the README names the platforms, the compiler and the libraries of the manifest`() async throws {
        let package = try await PackageDescription.here
        let readme = try Tree.text("README.md")
        let tools = package.toolsVersion.version.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(readme.contains("Swift \(tools) or"))
        #expect(package.platforms.contains { $0.platformName == "macos" && $0.version == "15.0" })
        #expect(readme.contains("**macOS 15 or later**"))
        for system in ["iOS", "visionOS"]
        where package.platforms.contains(where: { $0.platformName == system.lowercased() }) {
            #expect(readme.contains(system), "the README does not name \(system)")
        }
        // The programs that the script installs where it can.
        let script = try Tree.text(".ci/deps")
        let packages = script.matches(of: /apt\+=\(([a-z0-9-]+)\)/).map { String($0.1) }
        #expect(packages.count == 4)
        for package in packages { #expect(readme.contains("`\(package)`"), "the README does not name \(package)") }
    }

    /// Returns the commands that the help lists.
    private func commandNames() async throws -> Set<String> {
        let help = try await CommandRunner().run(["--help"]).outputText
        let list = help.components(separatedBy: "SUBCOMMANDS:\n").last ?? ""
        return Set(list.matches(of: #/(?m)^  ([a-z-]+) /#).map { String($0.1) }).union(["help"])
    }

    /// Returns the words after `tidemark` at the beginning of a line of an example, or in code.
    private func commands(in text: String) -> [String] {
        text.matches(of: /(?m)(?:^\$? *|`|\| )tidemark ([a-z][a-z-]*)/).map { String($0.1) }
    }
}

import Foundation
import TestTraits
import Testing

/// Each place where the program stops says why no input leads there.
@Suite(.pooled) struct PreconditionTests {
    private static let phrase = "No input reaches it:"
    /// Lines of a comment between the phrase and the place, at most.
    private static let distanceMax = 3

    /// Places of a file without the phrase in a comment up to three lines above, or in the doc comment of the function
    /// around.
    static func unexplained(_ lines: [String], code: [(Int, String)]) -> [Int] {
        code.filter { stops($0.1) }.map(\.0).filter { number in
            let above = lines[max(0, number - 1 - distanceMax)..<number - 1]
            if above.contains(where: { $0.contains("// " + phrase) }) { return false }
            guard let function = lines[..<(number - 1)].lastIndex(where: { $0.contains(/\b(func|init)\b.*[({]/) })
            else {
                return true
            }
            let doc = lines[..<function].reversed().prefix { $0.contains(/^ *(\/\/\/|@)/) }
            return !doc.contains { $0.contains("/// " + phrase) }
        }
    }

    private static func stops(_ line: String) -> Bool {
        line.contains("precondition") && line.contains(/\bprecondition(Failure)?\(/)
    }

    @Test func `every precondition of wire, store and data file says why no input reaches it`() throws {
        var count = 0
        for folder in ["Sources/TidemarkWire", "Sources/TidemarkStore", "Sources/TidemarkSQLite"] {
            for file in try Tree.swiftFiles(in: folder) {
                let code = try Tree.codeLines(file)
                let lines = try Tree.text(file).components(separatedBy: "\n")
                count += code.count { Self.stops($0.1) }
                let places = Self.unexplained(lines, code: code)
                #expect(places == [], "\(file): no comment says why no input reaches these lines")
            }
        }
        #expect(count >= 80)
    }

    @Test func `a precondition without its reason is found, and one that is explained too far above`() {
        let lines = [
            "/// Does it.", "func a() {", "    precondition(x)", "    // No input reaches it: why.",
            "    guard y else {",
            "        preconditionFailure()", "    }", "}", "/// Checks.", "/// No input reaches it: for tests.",
            "func b() {",
            "    // Words.", "    // Words.", "    // Words.", "    // Words.", "    precondition(z)", "}",
        ]
        let code = lines.enumerated().map { ($0 + 1, $1.contains("//") ? "" : $1) }
        #expect(Self.unexplained(lines, code: code) == [3])
        let far = ["func c() {", "    // No input reaches it: why.", "", "", "", "    precondition(z)", "}"]
        #expect(Self.unexplained(far, code: far.enumerated().map { ($0 + 1, $1) }) == [6])
    }
}

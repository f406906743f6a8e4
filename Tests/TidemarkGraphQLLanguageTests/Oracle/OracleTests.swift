import Foundation
import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkGraphQLLanguage

/// Documents that another implementation, graphql-core, judges as well: the same are good, and what is printed parses
/// to the tree that the document parses to.
@Suite(.pooled(minutes: 600), .tags(.model)) struct OracleTests {
    private struct Request: Encodable {
        var text: String
        var canonical: String?
        var minified: String?
    }

    private struct Answer: Decodable {
        var syntax: Bool
        var valid: Bool?
        var same: Bool?
        var errors: [String]
    }

    /// Documents to try: `TIDEMARK_SCALE=documents=10000`; a small sample without it.
    private static let count = UInt64(TestScale.documents.number ?? 300)

    /// A document by its number: one in three as it was made, the others spoiled.
    private static func text(_ seed: UInt64) throws -> [UInt8] {
        var generator = SeededGenerator(seed: seed, index: 30)
        if seed % 8 == 7 {
            let text = DocumentPrinter.text(of: ExecutableRoundTripTests.document(seed: seed))
            return seed % 16 == 7 ? text : try DocumentSpoiler.tokens(text, &generator)
        }
        var typed = TypedGenerator(
            SeededGenerator(seed: seed, index: 31), MusicSchema.schema, boldness: generator.pick([0, 5, 50]))
        let text = DocumentPrinter.text(of: typed.document(), style: generator.pick(DocumentPrinter.Style.allCases))
        return generator.chance(350) ? text : try DocumentSpoiler.tokens(text, &generator)
    }

    @Test(
        .enabled(if: PythonEnvironment.interpreter != nil, "\(PythonEnvironment.advice)"))
    func `random documents are judged as graphql-core judges them`() throws {
        let python = try #require(PythonEnvironment.interpreter)
        var lines = [try JSONEncoder().encode(["schema": MusicSchema.declared])]
        var judgements: [(text: String, refusal: DocumentError?)] = []
        for seed in 0..<OracleTests.count {
            let bytes = try OracleTests.text(seed)
            var request = Request(text: String(decoding: bytes, as: UTF8.self))
            var refusal: DocumentError?
            do throws(DocumentError) {
                let document = try DocumentParser.parseExecutable(bytes)
                request.canonical = String(decoding: DocumentPrinter.text(of: document), as: UTF8.self)
                request.minified = String(decoding: DocumentPrinter.text(of: document, style: .minified), as: UTF8.self)
                try DocumentValidator.check(document, schema: MusicSchema.schema)
            } catch {
                refusal = error
            }
            lines.append(try JSONEncoder().encode(request))
            judgements.append((request.text, refusal))
        }
        let input = Array(lines.joined(separator: [0x0A])) + [0x0A]
        let script = ProtocolVector.protocolFolder.appending(path: "../Tests/Python/graphql_oracle.py").standardized
            .path
        let result = try runOracle(python, script, input)
        #expect(result.count == judgements.count)
        var goodCount = 0
        for (answer, judgement) in zip(result, judgements) {
            let isGood = judgement.refusal == nil
            let isSyntax = judgement.refusal?.findings.first?.rule != .syntax
            goodCount += answer.valid == true ? 1 : 0
            #expect(
                answer.syntax == isSyntax && answer.valid ?? isGood == isGood && answer.same != false,
                "graphql-core: \(answer)\nTidemark: \(judgement.refusal?.description ?? "good")\n\(judgement.text)")
        }
        // Either would mean that one half only is compared.
        #expect(goodCount * 10 > result.count && goodCount * 10 < result.count * 9, "\(goodCount) are good")
    }

    private func runOracle(_ python: String, _ script: String, _ input: [UInt8]) throws -> [Answer] {
        let folder = try TemporaryFolder()
        let path = try folder.write(input, to: "requests")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: python)
        process.arguments = [script]
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: path))
        process.standardOutput = output
        try process.run()
        let answers = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try answers.split(separator: 0x0A).map { try JSONDecoder().decode(Answer.self, from: $0) }
    }
}

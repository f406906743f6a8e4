import TidemarkGraphQLLanguage
import TidemarkModel

/// The documents of several files as one document that still knows the file of each line.
///
/// A fragment may be defined in one file and spread in another. First each file is parsed alone, so that an error in
/// its grammar names the file; then all are checked together.
package struct OperationSources: Sendable {
    /// The definitions in the order of the files, and in each file in their original order.
    package let document: ExecutableDocument
    private let paths: [String]
    /// The number of lines before each file in the joined text.
    private let linesBefore: [Int]

    /// The limits of a run: those of a document, but for all files together.
    static var limits: ExecutableLimits {
        var limits = ExecutableLimits()
        limits.byteCountMax = 16 << 20
        limits.selectionCountMax = 1_000_000
        return limits
    }

    /// Parses and checks the documents of all files.
    ///
    /// - Throws: ``GeneratorError`` with all errors in the grammar, or else all violations of the rules of GraphQL.
    package init(_ sources: [SourceText], schema: GraphQLSchema) throws(GeneratorError) {
        var text: [UInt8] = []
        var linesBefore: [Int] = []
        var line = 0
        var findings: [GeneratorFinding] = []
        for source in sources {
            let bytes = OperationSources.withoutMark(source.bytes)
            do throws(DocumentError) {
                _ = try DocumentParser.parseExecutable(bytes, limits: OperationSources.limits)
            } catch {
                findings += OperationSources.findings(of: error) { (source.path, $0) }
            }
            linesBefore.append(line)
            text += bytes
            // Ends a comment in the last line before the next file begins.
            text.append(UInt8(ascii: "\n"))
            line += OperationSources.lineEndCount(bytes) + 1
        }
        paths = sources.map(\.path)
        self.linesBefore = linesBefore
        guard findings.isEmpty else { throw GeneratorError(findings) }
        guard !sources.isEmpty else {
            document = ExecutableDocument(definitions: [])
            return
        }
        let places = FilePlaces(paths: paths, linesBefore: linesBefore)
        do throws(DocumentError) {
            document = try DocumentParser.parseExecutable(text, limits: OperationSources.limits)
            try DocumentValidator.check(
                document, schema: schema, purpose: .fragments, limits: OperationSources.limits)
        } catch {
            throw GeneratorError(OperationSources.findings(of: error) { places.place(ofLine: $0) })
        }
    }

    /// Returns the file of a line of `document`, and the line in that file.
    package func place(ofLine line: Int) -> (path: String, line: Int) {
        FilePlaces(paths: paths, linesBefore: linesBefore).place(ofLine: line)
    }

    /// Creates a finding at a place of `document`.
    package func finding(_ message: String, at place: SourcePlace) -> GeneratorFinding {
        let file = self.place(ofLine: place.line)
        return GeneratorFinding(path: file.path, line: file.line, column: place.column, message: message)
    }

    private static func findings(
        of refusal: DocumentError, _ place: (Int) -> (path: String, line: Int)
    ) -> [GeneratorFinding] {
        guard !refusal.findings.isEmpty else {
            let file = place(1)
            return [GeneratorFinding(path: file.path, line: file.line, column: 1, message: refusal.message)]
        }
        return refusal.findings.map { finding in
            let file = place(finding.line)
            return GeneratorFinding(
                path: file.path, line: file.line, column: finding.column, message: finding.message)
        }
    }

    private static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// Returns the number of line ends (LF, CR LF or CR), as places count them.
    private static func lineEndCount(_ bytes: [UInt8]) -> Int {
        var count = 0
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "\n"): count += 1
            case UInt8(ascii: "\r"):
                if index + 1 == bytes.count || bytes[index + 1] != UInt8(ascii: "\n") { count += 1 }
            default: break
            }
        }
        // A final CR and the LF that joins the files count as one line end.
        return bytes.last == UInt8(ascii: "\r") ? count - 1 : count
    }
}

/// Maps the lines of a joined text to files.
private struct FilePlaces {
    let paths: [String]
    let linesBefore: [Int]

    func place(ofLine line: Int) -> (path: String, line: Int) {
        let file = linesBefore.lastIndex { $0 < line } ?? 0
        return (paths[file], line - linesBefore[file])
    }
}

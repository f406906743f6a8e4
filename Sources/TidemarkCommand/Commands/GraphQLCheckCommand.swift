import ArgumentParser
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkJSON

/// `tidemark graphql check`: checks documents, with or without a schema.
struct GraphQLCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check operations and fragments against a schema.",
        discussion: """
            Reads GraphQL documents, prints every error with its file, line and column, and ends with 65 when there is \
            one. Without --schema only the rules that need no schema are checked. A file that holds only fragments \
            needs no operation that spreads them.

            EXAMPLE
              tidemark graphql check --schema schema.graphqls queries.graphql
            """)

    @OptionGroup var format: FormatOptions
    @Option(help: ArgumentHelp("The server's schema: GraphQL type definitions.", valueName: "file"))
    var schema: String?
    @Argument(help: ArgumentHelp("Documents of operations and fragments.", valueName: "document"))
    var documents: [String]

    func run() async throws {
        let output = Output.standard()
        let schema = try schema.map { (path: String) throws in try readSchema(path, output) }
        let limits = ExecutableLimits()
        var checks: [DocumentCheck] = []
        for path in documents {
            let bytes = try FileContents.bytes(of: path, byteCountMax: limits.byteCountMax)
            checks.append(DocumentCheck(path, bytes, schema: schema, limits: limits))
        }
        try write(checks, to: output)
        try output.flush()
        let bad = checks.filter { $0.refusal != nil }
        guard !bad.isEmpty else { return }
        let count = checks.reduce(0) { $0 + $1.errorCount }
        throw Failure(
            .badData, "invalid_document",
            "\(HumanText.count(count, "error")) in \(HumanText.count(bad.count, "document"))",
            place: bad.count == 1 ? bad[0].path : "", outcome: "a server would refuse these documents",
            advice: "correct it, then check again")
    }

    private func readSchema(_ path: String, _ output: Output) throws -> GraphQLSchema {
        let bytes = try FileContents.bytes(of: path, byteCountMax: DocumentLimits().byteCountMax)
        do throws(GraphQLErrors) {
            return try GraphQLSchema.read(bytes)
        } catch {
            if format.isJSON {
                var line = JSONLine()
                line.documents([], schemaErrors: error)
                try output.writeLine(line.bytes)
            } else {
                for finding in error.errors { try output.writeLine(Printable.text("\(path):\(finding)")) }
            }
            try output.flush()
            throw Failure(
                .configuration, "bad_schema", HumanText.count(error.count, "error"), place: path,
                outcome: "no document was checked", advice: "correct the listed errors, then check again")
        }
    }

    private func write(_ checks: [DocumentCheck], to output: Output) throws(Failure) {
        guard !format.isJSON else {
            var line = JSONLine()
            line.documents(checks, schemaErrors: GraphQLErrors())
            return try output.writeLine(line.bytes)
        }
        for check in checks {
            guard let refusal = check.refusal else {
                let counts =
                    "\(HumanText.count(check.operationCount, "operation")) and "
                    + HumanText.count(check.fragmentCount, "fragment")
                try output.writeLine(
                    Printable.text("\(check.path): ") + output.style.paint("sound", .green) + ": \(counts)")
                continue
            }
            for finding in refusal.findings { try output.writeLine(Printable.text("\(check.path):\(finding)")) }
            if refusal.findings.isEmpty {
                try output.writeLine(Printable.text("\(check.path): \(refusal.code.rawValue): \(refusal.message)"))
            }
        }
    }
}

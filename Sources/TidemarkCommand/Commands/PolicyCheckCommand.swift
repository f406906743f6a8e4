import ArgumentParser
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkJSON

/// `tidemark policy check`: checks a policy file and prints its rules.
struct PolicyCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a policy file and print its rules.",
        discussion: """
            Reads a GraphQL schema with @cacheControl directives and prints the rule of every type and field. When the \
            file contradicts itself, prints every error with its file, line and column instead, and ends with 78.

            EXAMPLE
              tidemark policy check policy.graphqls
            """)

    @OptionGroup var format: FormatOptions
    @Argument(help: ArgumentHelp("The policy: GraphQL type definitions.", valueName: "file"))
    var file: String

    func run() async throws {
        let bytes = try FileContents.bytes(of: file, byteCountMax: DocumentLimits().byteCountMax)
        let output = Output.standard()
        let policy: CachePolicy
        do throws(GraphQLErrors) {
            policy = try CachePolicy.read(bytes)
        } catch {
            try write(error, to: output)
            try output.flush()
            throw Failure(
                .configuration, "bad_policy", HumanText.count(error.count, "error"), place: file,
                outcome: "none of its rules can be used", advice: "correct the listed errors, then check it again")
        }
        try write(policy, to: output)
        try output.flush()
    }

    private func write(_ policy: CachePolicy, to output: Output) throws(Failure) {
        guard !format.isJSON else {
            var line = JSONLine()
            line.policy(policy)
            return try output.writeLine(line.bytes)
        }
        for type in policy.types {
            try output.writeLine(output.style.paint(PolicyText.line(of: type), .bold))
            for field in type.fields { try output.writeLine(PolicyText.line(of: field, in: type, of: policy)) }
        }
        let fieldCount = policy.types.reduce(0) { $0 + $1.fields.count }
        let counts = "\(HumanText.count(policy.types.count, "type")) and \(HumanText.count(fieldCount, "field"))"
        try output.writeLine("\(output.style.paint("sound", .green)): \(counts), nothing wrong")
    }

    private func write(_ errors: GraphQLErrors, to output: Output) throws(Failure) {
        guard !format.isJSON else {
            var line = JSONLine()
            line.policy(errors)
            return try output.writeLine(line.bytes)
        }
        for error in errors.errors { try output.writeLine(Printable.text("\(file):\(error)")) }
        let more = errors.count - errors.errors.count
        if more > 0 { try output.writeLine("and \(HumanText.count(more, "more error"))") }
    }
}

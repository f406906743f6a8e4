import ArgumentParser
import TidemarkGraphQLLanguage
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// `tidemark graphql normalize`: shows the entities that a response would become.
struct GraphQLNormalizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "normalize",
        abstract: "Print the entities that a server's answer would become.",
        discussion: """
            Reads an answer from standard input, an object with data and where there are some errors, and prints one \
            JSON line for each entity that would be stored, in the order of their keys. Nothing is stored.

            EXAMPLE
              tidemark graphql normalize --document hero.graphql < answer.json
            """)

    @OptionGroup var schema: SchemaOptions
    @OptionGroup var policy: PolicyOptions
    @Option(help: ArgumentHelp("The document that the server was asked.", valueName: "file"))
    var document: String
    @Option(help: ArgumentHelp("The operation, where the document has several.", valueName: "name"))
    var operation: String?
    @Option(help: ArgumentHelp("The variables: one JSON object.", valueName: "json"))
    var variables: String?

    /// The maximum size of a response: 64 MiB.
    private static let answerByteCountMax = 64 << 20

    func run() async throws {
        let rules = try schema.rules(policy: try policy.policy(), policyText: try policy.text(), typeAliases: [:])
        let limits = ExecutableLimits()
        let text = try FileContents.bytes(of: document, byteCountMax: limits.byteCountMax)
        let plan: OperationPlan
        do throws(DocumentError) {
            plan = try CheckedDocument(text, rules: rules, limits: limits).plan(
                operation: operation.map { ByteString($0) }, variables: variables.map { Array($0.utf8) })
        } catch {
            let errors = Output.errors()
            for finding in error.findings { try errors.writeLine(Printable.text("\(document):\(finding)")) }
            try errors.flush()
            throw Failure(
                .badData, error.code.rawValue, error.message, place: document, outcome: "no answer was read",
                advice: "mend the document or the options, then try again")
        }
        let answer = try FileContents.bytes(of: "/dev/stdin", byteCountMax: Self.answerByteCountMax)
        let normalized: NormalizedResponse
        do throws(ResponseError) {
            let parts = try ResponseParts(answer)
            normalized = try ResponseNormalizer.normalize(parts.data, errors: parts.errors, plan: plan)
        } catch {
            throw Failure(
                .badData, error.code.rawValue, error.description, place: "standard input",
                outcome: "nothing of the answer would be stored", advice: "mend the answer, then try again")
        }
        let output = Output.standard()
        for entity in normalized.entities.sorted(by: { $0.key < $1.key }) {
            var line = JSONLine()
            line.object { line in
                line.member("resource_type", Optional(entity.key.type))
                line.member("id", Optional(entity.key.id))
                line.member("resource", json: Optional(entity.resource))
            }
            try output.writeLine(line.bytes)
        }
        try output.flush()
    }
}

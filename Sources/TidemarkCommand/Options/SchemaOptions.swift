import ArgumentParser
import TidemarkGraphQLLanguage
import TidemarkGraphQL
import TidemarkModel

/// The option `--schema` for the GraphQL server's schema.
struct SchemaOptions: ParsableArguments {
    @Option(
        name: .customLong("schema"),
        help: ArgumentHelp(
            "The GraphQL server's schema: type definitions. Its ages are in force where no --policy is named.",
            valueName: "file"))
    var file: String?

    /// Reads the schema, with the key fields that it and the policy define.
    ///
    /// - Parameter policyText: ``PolicyOptions/text()`` of a policy that was read without errors.
    /// - Throws: ``Failure`` if the file cannot be read or used; its errors are printed on standard error first.
    func rules(
        policy: CachePolicy, policyText: [UInt8], typeAliases: [ByteString: ByteString]
    ) throws -> GraphQLRules {
        var identity = IdentityRules()
        do {
            if !policyText.isEmpty { identity = try IdentityRules.read(DocumentParser.parse(policyText)) }
            guard let file else {
                return GraphQLRules(identity: identity, policy: policy, typeAliases: typeAliases)
            }
            let bytes = try FileContents.bytes(of: file, byteCountMax: DocumentLimits().byteCountMax)
            let schema = try GraphQLSchema.read(bytes, policy: identity)
            return GraphQLRules(schema: schema, identity: schema.identity, policy: policy, typeAliases: typeAliases)
        } catch let errors as GraphQLErrors {
            let output = Output.errors()
            for error in errors.errors { try output.writeLine(Printable.text("\(file ?? "policy"):\(error)")) }
            try output.flush()
            throw Failure(
                .configuration, "bad_schema", HumanText.count(errors.count, "error"), place: file ?? "",
                outcome: "nothing was done", advice: "mend what is listed, then start again")
        }
    }
}

import ArgumentParser
import TidemarkGraphQL
import TidemarkModel

/// The option for the policy that a command follows.
struct PolicyOptions: ParsableArguments {
    @Option(
        name: .customLong("policy"),
        help: ArgumentHelp(
            "A policy file, GraphQL types with @cacheControl: age limits, and what is deleted along with an entity.",
            valueName: "file"))
    var file: String?

    /// Returns the same options, with a schema as the policy where no policy file is named: its ages are in force then.
    func orSchema(_ schema: SchemaOptions) -> PolicyOptions {
        var options = self
        options.file = file ?? schema.file
        return options
    }

    /// Reads the policy, or that in a schema where no policy file is named.
    ///
    /// - Throws: ``Failure`` as ``policy()`` does; for a schema that is none, as reading a schema does.
    func policy(orOf schema: SchemaOptions) throws -> CachePolicy {
        if file == nil, schema.file != nil {
            _ = try schema.rules(policy: CachePolicy(), policyText: [], typeAliases: [:])
        }
        return try orSchema(schema).policy()
    }

    /// Returns the unchanged text of the policy file; empty when none is named.
    ///
    /// - Throws: ``Failure`` when the file cannot be read.
    func text() throws -> [UInt8] {
        guard let file else { return [] }
        return try FileContents.bytes(of: file, byteCountMax: DocumentLimits().byteCountMax)
    }

    /// Reads the policy.
    ///
    /// - Returns: The policy; one without rules when no file is named.
    /// - Throws: ``Failure`` when the file cannot be read or used; its mistakes are printed on standard error first.
    func policy() throws -> CachePolicy {
        guard let file else { return CachePolicy() }
        return try PolicyOptions.read(file)
    }

    /// Reads a policy file, or a schema with the directives of one.
    ///
    /// - Throws: ``Failure`` as ``policy()`` does.
    static func read(_ file: String) throws -> CachePolicy {
        let bytes = try FileContents.bytes(of: file, byteCountMax: DocumentLimits().byteCountMax)
        do throws(GraphQLErrors) {
            return try CachePolicy.read(bytes)
        } catch {
            let output = Output.errors()
            for error in error.errors { try output.writeLine(Printable.text("\(file):\(error)")) }
            try output.flush()
            throw Failure(
                .configuration, "bad_policy", HumanText.count(error.count, "error"), place: file,
                outcome: "nothing was done", advice: "correct the listed errors, then run tidemark policy check")
        }
    }
}

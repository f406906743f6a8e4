import ArgumentParser
import TidemarkGraphQLLanguage
import TidemarkModel

/// The option `--policy` for a policy file.
struct PolicyOptions: ParsableArguments {
    @Option(
        name: .customLong("policy"),
        help: ArgumentHelp(
            "A policy file, GraphQL types with @cacheControl: age limits, and what is deleted along with an entity.",
            valueName: "file"))
    var file: String?

    /// Returns the options with the schema as the policy if no policy file is named; the schema's ages then apply.
    func orSchema(_ schema: SchemaOptions) -> PolicyOptions {
        var options = self
        options.file = file ?? schema.file
        return options
    }

    /// Reads the policy file, or the schema if no policy file is named.
    ///
    /// - Throws: ``Failure`` as ``policy()`` does, or if the schema cannot be read.
    func policy(orOf schema: SchemaOptions) throws -> CachePolicy {
        if file == nil, schema.file != nil {
            _ = try schema.rules(policy: CachePolicy(), policyText: [], typeAliases: [:])
        }
        return try orSchema(schema).policy()
    }

    /// Returns the text of the policy file as it is; empty if none is named.
    ///
    /// - Throws: ``Failure`` if the file cannot be read.
    func text() throws -> [UInt8] {
        guard let file else { return [] }
        return try FileContents.bytes(of: file, byteCountMax: DocumentLimits().byteCountMax)
    }

    /// Reads the policy file.
    ///
    /// - Returns: The policy; without rules if no file is named.
    /// - Throws: ``Failure`` if the file cannot be read or used; its errors are printed on standard error first.
    func policy() throws -> CachePolicy {
        guard let file else { return CachePolicy() }
        return try PolicyOptions.read(file)
    }

    /// Reads a policy file, or a schema with `@cacheControl` directives.
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

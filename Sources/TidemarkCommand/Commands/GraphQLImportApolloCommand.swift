import ArgumentParser
import Tidemark
import TidemarkGraphQL
import TidemarkJSON
import TidemarkModel
import TidemarkSQLite
import TidemarkStore

/// `tidemark graphql import-apollo`: reads a cache file of Apollo iOS into a database.
struct GraphQLImportApolloCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-apollo",
        abstract: "Read the SQLite cache file of Apollo iOS into a database.",
        discussion: """
            Objects with a type and a key become entities, and the fields of the query root can be read with documents. \
            The library must have no entities yet. Everything that is imported is stale, because the file does not say \
            how old it is: readers that accept stale data see it at once, others fetch it. The file is not changed.

            Pass the schema: the names in the file do not tell the text 1 from the number 1. What cannot be read with \
            certainty is left out and counted.

            EXAMPLE
              tidemark graphql import-apollo --db cache.db --schema schema.graphqls apollo.sqlite
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var schema: SchemaOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup var format: FormatOptions
    @Argument(help: ArgumentHelp("The file that SQLiteNormalizedCache wrote.", valueName: "file"))
    var file: String

    /// The most entities that are stored in one step.
    private static let stepCountMax = 10_000

    private struct Outcome {
        let entityCount: Int
        let rootCount: Int
        let skipped: ApolloImport.Skipped
    }

    func run() async throws {
        let rules = try schema.rules(policy: try policy.policy(), policyText: try policy.text(), typeAliases: [:])
        let library = scope.library ?? ""
        let records = try readRecords()
        try checkEmpty(library)
        var conversion = ApolloImport(rules: rules, library: library)
        for record in records { conversion.add(record.key, fields: record.fields) }
        let response = conversion.response()
        try await store(response)
        try write(
            Outcome(
                entityCount: response.entities.count - response.roots.count, rootCount: response.roots.count,
                skipped: conversion.skipped))
    }

    private func readRecords() throws(Failure) -> [ApolloCacheFile.Record] {
        do throws(StorageError) {
            return try ApolloCacheFile.records(path: file)
        } catch {
            throw Failure(error, isReader: true)
        }
    }

    /// Throws if the library has entities: what they know may be newer than the file.
    private func checkEmpty(_ library: ByteString) throws(Failure) {
        do throws(StorageError) {
            let libraries = try SQLiteReader(path: database.path).libraries()
            guard libraries.contains(where: { $0.status.library == library && $0.entityCount > 0 }) else { return }
        } catch {
            if error.code == .notFound { return }
            throw Failure(error, isReader: true)
        }
        throw Failure(
            .configuration, "not_empty", "the library has entities already", place: database.path,
            outcome: "nothing was imported", advice: "import into a new database, or into another --library")
    }

    private func store(_ response: FieldResponse) async throws {
        var configuration = CacheConfiguration()
        configuration.policy = try policy.policy()
        let cache = try await SyncCache.open(configuration: configuration, journal: try await database.openJournal())
        var rest = response.entities[...]
        repeat {
            let step = rest.prefix(Self.stepCountMax)
            rest = rest.dropFirst(step.count)
            // Root fields are stored with the last step: by then all their entities are there.
            try await cache.store(
                FieldResponse(
                    library: response.library, entities: Array(step), roots: rest.isEmpty ? response.roots : []))
        } while !rest.isEmpty
        _ = try await cache.invalidate(Invalidation(library: response.library))
        try await cache.close()
    }

    private func write(_ outcome: Outcome) throws {
        let output = Output.standard()
        if format.isJSON {
            var line = JSONLine()
            line.object { line in
                line.member("entities", outcome.entityCount)
                line.member("root_fields", outcome.rootCount)
                line.member("skipped_records", outcome.skipped.records)
                line.member("skipped_fields", outcome.skipped.fields)
            }
            try output.writeLine(line.bytes)
        } else {
            try output.writeLine(
                "\(HumanText.count(outcome.entityCount, "entity", "entities")) and "
                    + "\(HumanText.count(outcome.rootCount, "root field")) imported, all of them stale; "
                    + "\(HumanText.count(outcome.skipped.fields, "field")) and "
                    + "\(HumanText.count(outcome.skipped.records, "record")) left out")
        }
        try output.flush()
    }
}

import ArgumentParser

/// `tidemark view`: questions over entities of several types.
struct ViewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        abstract: "Answer questions over entities of several types: joins, groups and nested lists.",
        discussion: """
            A view is a rule in JSON (see Protocol/views.md). It is answered from the database as it is, with pending \
            edits applied, also while a writer runs. A defined view has a name, by which sessions observe it.

            EXAMPLE
              tidemark view read --db cache.db --view '{"from":"issue","joins":[{"type":"project","on":\
            {"@key":"issue/project"}}],"select":{"title":"issue/title","project":"project/name"}}'
            """,
        subcommands: [
            ViewReadCommand.self, ViewExplainCommand.self, ViewDefineCommand.self, ViewDropCommand.self,
            ViewListCommand.self,
        ])
}

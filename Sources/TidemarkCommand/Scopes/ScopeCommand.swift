import ArgumentParser

/// `tidemark scope`: what clients of a server may see.
struct ScopeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scope",
        abstract: "Check what clients of a server may see.",
        discussion: """
            A scope is the part of a library that one client may see (see docs/scopes.md). A file of rules defines it, \
            and tidemark serve --scopes delivers it.

            EXAMPLE
              tidemark scope check --scopes scopes.json
              tidemark scope check --scopes scopes.json --claims '{"sub":"u1"}' --entity issue:17 \
            --param project=p1 --db cache.db
            """,
        subcommands: [ScopeCheckCommand.self])
}

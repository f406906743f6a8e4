import ArgumentParser
import Tidemark
import TidemarkJSON
import TidemarkModel
import TidemarkScopes
import TidemarkStore
import TidemarkViews

/// `tidemark scope check`: checks a file of scopes, or explains why a client sees an entity or not.
struct ScopeCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a file of scopes, or explain why a client sees an entity or not.",
        discussion: """
            With --scopes alone, checks the file and prints its scopes; a mistake ends with 78 and its place. With \
            --claims, --entity and --db, says for each scope that takes the given parameters whether the holder of a \
            token with these claims sees the entity, and why: from the database as it is, without pending edits, also \
            while a server runs. The answer contains what the client may not see. The status is 0 for both answers.

            EXAMPLE
              tidemark scope check --scopes scopes.json
              tidemark scope check --scopes scopes.json --claims '{"sub":"u1"}' --entity issue:17 \
            --param project=p1 --db cache.db
              tidemark scope check --scopes scopes.json --scope project --claims claims.json --entity user:u2 \
            --param project=p1 --db cache.db --json
            """)

    @Option(name: .customLong("scopes"), help: ArgumentHelp("The file of scopes.", valueName: "file"))
    var path: String
    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("Only this scope; without it, all scopes of the file.", valueName: "name"))
    var name: String?
    @Option(help: ArgumentHelp("The token's claims: JSON, or the name of a file with it.", valueName: "json|file"))
    var claims: String?
    @Option(help: ArgumentHelp("The entity to look for.", valueName: "type:id"))
    var entity: EntityName?
    @Option(
        name: .customLong("param"), parsing: .singleValue,
        help: ArgumentHelp("A parameter of the address; may be repeated.", valueName: "name=value"))
    var parameters: [ScopeArgument] = []
    @Option(name: .customLong("db"), help: ArgumentHelp("The database.", valueName: "file"))
    var databasePath: String?
    @OptionGroup var key: KeyFileOptions
    @Option(
        name: .customLong("library"),
        help: ArgumentHelp("The library of scopes that name none, as for serve.", valueName: "id"))
    var defaultLibrary = ""
    @Option(help: "The server's naming of types, as for serve.")
    var profile: CacheConfiguration.Profile?
    @OptionGroup var format: FormatOptions

    func validate() throws {
        if path.isEmpty { throw ValidationError("--scopes is empty: pass a file.") }
        if databasePath?.isEmpty == true { throw ValidationError("--db is empty: pass a file.") }
        let given = [claims != nil, entity != nil, databasePath != nil]
        if given.contains(true), given.contains(false) {
            throw ValidationError(
                "--claims, --entity and --db belong together: pass all three, or --scopes alone to check the file.")
        }
        if !parameters.isEmpty, entity == nil {
            throw ValidationError("--param is for --entity: pass --claims, --entity and --db with it.")
        }
    }

    func run() async throws {
        let file = try ScopeFileText.read(path, profile)
        let scopes = try explainers(of: file)
        let output = Output.standard()
        guard let entity, let claims, let databasePath else {
            try ScopeListing(scopes, isJSON: format.isJSON).write(to: output)
            return try output.flush()
        }
        let bytes = try ClaimsText.claims(claims)
        try checkParameters(scopes.map(\.explainer))
        let reader = try CacheReader(path: databasePath, encryption: try key.encryption())
        for (name, explainer) in scopes {
            let library = explainer.library ?? ByteString(defaultLibrary)
            let entities = try FileEntities(
                reader, library: library, types: explainer.typesRead.sorted(), showsLayers: false)
            let key = entity.key(library: library)
            let given = parameters.filter { explainer.addressNames.contains($0.name) }.map { ($0.name, $0.value) }
            let explanation = explainer.explain(
                ViewKey(type: key.type, id: key.id), claims: bytes, address: given, entities)
            let answer = ScopeAnswer(scope: name, entity: entity.text, explanation: explanation)
            try output.writeLine(format.isJSON ? answer.json : Array(answer.sentence.utf8))
        }
        try output.flush()
        try reader.reportDamage()
    }

    /// The scopes to check, by name.
    private func explainers(
        of file: ScopeFile
    ) throws(Failure) -> [(name: ByteString, explainer: ScopeExplainer)] {
        let aliases = ScopeFileText.aliases(profile)
        let names = file.scopes.keys.sorted()
        let wanted = name.map { ByteString($0) }
        let scopes = names.filter { wanted == nil || $0 == wanted }.compactMap { name in
            ScopeExplainer(name, of: file, types: aliases).map { (name, $0) }
        }
        if let wanted, scopes.isEmpty {
            let nearest = NearestName.of(wanted, among: names.map(\.description))
            throw .usage(
                "the file has no scope \(wanted)",
                advice: nearest.map { "did you mean \($0)?" }
                    ?? "it has \(names.prefix(5).map(\.description).joined(separator: ", "))")
        }
        return scopes
    }

    /// Refuses a parameter that no scope takes: misspelt, it would be missing without a word.
    private func checkParameters(_ scopes: [ScopeExplainer]) throws(Failure) {
        let known = Set(scopes.flatMap(\.addressNames))
        for parameter in parameters where !known.contains(parameter.name) {
            let names = known.sorted().map(\.description)
            throw .usage(
                "--param \(parameter.name) is taken from the address by no scope",
                advice: NearestName.of(parameter.name, among: names).map { "did you mean \($0)?" }
                    ?? (names.isEmpty ? "leave it out" : "the names are \(names.joined(separator: ", "))"))
        }
    }
}

/// A parameter of an address as the user writes it, `name=value`. The value may contain further `=`.
struct ScopeArgument: ExpressibleByArgument {
    let name: ByteString
    let value: ByteString

    init?(argument: String) {
        guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")), equals != argument.startIndex else {
            return nil
        }
        name = ByteString(argument.utf8[..<equals])
        value = ByteString(argument.utf8[argument.utf8.index(after: equals)...])
    }
}

/// The claims of a token as the command line gives them: JSON, or the name of a file.
private enum ClaimsText {
    private static let byteCountMax = 1 << 20

    static func claims(_ text: String) throws(Failure) -> [UInt8] {
        let isJSON = text.first { !$0.isWhitespace } == "{"
        let bytes = isJSON ? Array(text.utf8) : try FileContents.bytes(of: text, byteCountMax: byteCountMax)
        let node: RuleNode
        do throws(ViewRuleError) {
            node = try RuleNode(text: bytes, name: "--claims")
        } catch {
            throw .usage("--claims: \(error.place.isEmpty ? "it" : error.place) \(error.what)", advice: advice)
        }
        guard case .object = node else { throw .usage("--claims is not one JSON object", advice: advice) }
        return bytes
    }

    private static let advice = "pass the claims of a token, such as '{\"sub\":\"u1\"}'"
}

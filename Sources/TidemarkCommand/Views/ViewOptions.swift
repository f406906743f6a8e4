import ArgumentParser
import Foundation
import TidemarkModel
import TidemarkViews

/// The option that gives the rule of a view.
struct RuleOptions: ParsableArguments {
    @Option(
        name: .customLong("view"),
        help: ArgumentHelp("The rule: JSON, or the name of a file with it.", valueName: "json|file"))
    var rule: String

    /// Returns the checked rule.
    ///
    /// - Throws: ``Failure`` with status 65 and the place of the mistake, or 66 if the file cannot be read.
    func viewRule() throws(Failure) -> ViewRule { try ViewRuleText.rule(rule) }
}

/// The options that name a view, its parameters and its window.
struct ViewOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The name of a defined view; --view gives a rule instead.", valueName: "name"))
    var name: String?
    @Option(
        name: .customLong("view"),
        help: ArgumentHelp("The rule: JSON, or the name of a file with it.", valueName: "json|file"))
    var rule: String?
    @Option(help: ArgumentHelp("The rule as a SELECT, see Protocol/views.md.", valueName: "select"))
    var sql: String?
    @Option(help: ArgumentHelp("The values of the parameters, a JSON object.", valueName: "json"))
    var params: String?
    @Option(help: ArgumentHelp("The most rows to show; without it, the rule's limit.", valueName: "n"))
    var limit: Int?
    @Option(help: ArgumentHelp("The rows to pass over first; without it, the rule's offset.", valueName: "n"))
    var offset: Int?

    func validate() throws {
        guard [name, rule, sql].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Name a defined view, or give a rule with --view or --sql: one of the three.")
        }
        if let limit, limit < 1 { throw ValidationError("--limit takes 1 or more, not \(limit).") }
        if let offset, offset < 0 { throw ValidationError("--offset takes 0 or more, not \(offset).") }
    }

    /// Returns the rule of `--view` or `--sql`; nil if a name is given instead.
    ///
    /// - Throws: ``Failure`` with status 65 and the place of the mistake, or 66 if the file cannot be read.
    func givenRule() throws(Failure) -> ViewRule? {
        if let sql {
            do throws(ViewSQLError) {
                return try ViewRule(sql: sql)
            } catch {
                throw Failure(
                    .badData, "invalid_view", error.message, place: "--sql", outcome: "nothing was read",
                    advice: "see Protocol/views.md for what a rule can say in SQL")
            }
        }
        guard let rule else { return nil }
        return try ViewRuleText.rule(rule)
    }

    /// Returns the checked rule.
    ///
    /// - Throws: ``Failure`` with status 65 and the place of the mistake, or 66 if the file cannot be read, or no view
    ///   of the library has the name.
    func viewRule(_ reader: CacheReader, library: ByteString) throws(Failure) -> ViewRule {
        if let rule = try givenRule() { return rule }
        return try DefinedViews(reader, library: library).rule(named: ByteString(name ?? ""))
    }

    /// Returns the checked values of the parameters.
    ///
    /// - Throws: ``Failure`` with status 64.
    func binding(for rule: ViewRule) throws(Failure) -> ViewBinding {
        do throws(ViewRuleError) {
            return try ViewBinding(params.map { Array($0.utf8) }, for: rule)
        } catch {
            let names = rule.parameters.map(\.description).joined(separator: ", ")
            throw .usage(
                "--params: \(error.message)",
                advice: names.isEmpty ? "the rule has no parameters: leave it out" : "give a value for each of \(names)"
            )
        }
    }
}

/// A rule as the command line gives it: JSON, or the name of a file.
private enum ViewRuleText {
    static func rule(_ text: String) throws(Failure) -> ViewRule {
        let json = try json(text)
        do throws(ViewRuleError) {
            return try ViewRule(json: json)
        } catch {
            throw Failure(
                .badData, "invalid_view", error.message, outcome: "nothing was read",
                advice: "see Protocol/views.md for the members of a rule")
        }
    }

    private static func json(_ text: String) throws(Failure) -> [UInt8] {
        if let first = text.first(where: { !$0.isWhitespace }), "{\"[".contains(first) { return Array(text.utf8) }
        do {
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: text)))
        } catch {
            throw Failure(
                .noInput, "not_found", "the rule \(text) cannot be read", place: "--view",
                outcome: "nothing was read", advice: "pass JSON that begins with {, or the name of a file with it")
        }
    }
}

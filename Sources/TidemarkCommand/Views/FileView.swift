import TidemarkModel
import TidemarkSQLite
import TidemarkViews

/// A view that is answered once, from a database.
struct FileView {
    let reader: CacheReader
    let rule: ViewRule
    let entities: FileEntities
    private(set) var set: ViewSet
    let window: ViewWindowID
    let result: ViewResult

    /// Answers a view.
    ///
    /// - Throws: ``Failure`` with status 65 for a wrong rule, and 64 for wrong parameters, a missing library and too
    ///   many rows.
    init(_ options: ViewOptions, _ database: DatabaseOptions, library: ByteString?) throws(Failure) {
        reader = try CacheReader(database)
        let library = try FileView.library(library, of: reader)
        rule = try options.viewRule(reader, library: library)
        let binding = try options.binding(for: rule)
        entities = try FileEntities(reader, library: library, types: rule.types)
        set = ViewSet()
        guard let use = set.hold(rule, binding) else { preconditionFailure("a new set has room for one use") }
        while !set.fill(use, entities, countMax: FileView.countPerStep) {}
        guard let window = set.open(use, offset: options.offset, limit: options.limit, entities),
            let result = set.result(window)
        else { preconditionFailure("a new set has room for one window") }
        if let failure = entities.failure { throw failure }
        guard !result.isTooLarge else {
            throw Failure(
                .usage, "limit_exceeded", "the result has \(result.total) rows", outcome: "nothing was printed",
                advice: "pass --limit of at most \(ViewLimits().rowCountMax)")
        }
        self.window = window
        self.result = result
    }

    /// How many entities a step of filling reads.
    private static let countPerStep = 100_000

    /// Returns the library of a view: the named one, or the only one.
    static func library(_ named: ByteString?, of reader: CacheReader) throws(Failure) -> ByteString {
        if let named { return named }
        let known = try reader.libraries().map(\.status.library)
        guard known.count < 2 else {
            let names = known.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
            throw .usage(
                "the database has \(known.count) libraries, and a view belongs to one",
                advice: "name it with --library: \(names)")
        }
        return known.first ?? ""
    }
}

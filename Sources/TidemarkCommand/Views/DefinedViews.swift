import TidemarkLiveViews
import TidemarkModel
import TidemarkViews

/// The defined views of a database.
struct DefinedViews {
    /// The rules by name, of one library or of all.
    private(set) var views: [(record: ViewRecord, rule: ViewRule)] = []

    /// Reads the definitions.
    ///
    /// - Parameter library: The library; nil for all.
    init(_ reader: CacheReader, library: ByteString?) throws(Failure) {
        for (key, body) in try reader.records(of: ViewRecord.kind).sorted(by: { $0.key < $1.key }) {
            guard let record = ViewRecord(key: key), library ?? record.library == record.library else { continue }
            do throws(ViewRuleError) {
                views.append((record, try ViewRule(json: body)))
            } catch {
                throw Failure(
                    .badData, "invalid_view", "view \(Printable.text(record.name)): \(error.message)",
                    outcome: "nothing was read", advice: "define it again")
            }
        }
    }

    /// Returns the rule of a view.
    ///
    /// - Throws: ``Failure`` with status 66 if nobody defined it.
    func rule(named name: ByteString) throws(Failure) -> ViewRule {
        if let found = views.first(where: { $0.record.name == name }) { return found.rule }
        let names = views.prefix(5).map { Printable.text($0.record.name) }.joined(separator: ", ")
        throw Failure(
            .noInput, "not_found", "no view is named \(Printable.text(name))", outcome: "nothing was done",
            advice: views.isEmpty
                ? "define one with tidemark view define" : "tidemark view list has the names: \(names)")
    }
}

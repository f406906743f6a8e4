import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTesting

extension JournalConformance {
    /// Returns a check of a journal with indexes, which also requests the candidates of random rules after each flush.
    package static func withIndexes(_ indexes: [FieldIndex]) -> JournalConformance {
        var conformance = JournalConformance()
        conformance.indexes = indexes
        conformance.comparison = { journal, model in
            for _ in 0..<4 {
                if let difference = try await candidateDifference(journal, &model) { return difference }
            }
            return nil
        }
        return conformance
    }

    /// Compares the candidates of a random rule: they must be stored entities in key order, unchanged, and include all
    /// that match the rule.
    private static func candidateDifference(
        _ journal: any Journal, _ model: inout JournalModel
    ) async throws -> String? {
        let wanted = model.randomRule()
        let rule = try Membership(json: Array(wanted.rule.utf8))
        let reference = ReferenceMembership(rule: try ReferenceJSONParser.parse(Array(wanted.rule.utf8)))
        var found: [StoredEntity] = []
        while true {
            let page = try await journal.page(
                library: wanted.library, type: wanted.type, after: found.last?.key.id, countMax: wanted.countMax,
                constraint: rule.constraint)
            if page.entities.isEmpty { break }
            found += page.entities
        }
        let texts = found.map(\.key.id.text)
        guard zip(texts, texts.dropFirst()).allSatisfy({ $0 < $1 }) else { return "\(wanted.rule) gives \(texts)" }
        // Row numbers are compared where entities are loaded.
        let areStored = found.allSatisfy { entity in
            var stored = model.entities[entity.key]
            stored?.row = entity.row
            return stored == entity && entity.key.library == wanted.library && entity.key.type == wanted.type
        }
        guard areStored else { return "\(wanted.rule) gives entities that are not stored" }
        for (key, entity) in model.entities where key.library == wanted.library && key.type == wanted.type {
            let resource = try ReferenceJSONParser.parse(entity.payload)
            if reference.matches(resource), !texts.contains(key.id.text) {
                return "\(wanted.rule) leaves out \(key.id.text)"
            }
        }
        return nil
    }
}

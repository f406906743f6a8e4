import TestTraits
import Testing
import TidemarkModel
import TidemarkViews

@testable import TidemarkScopes

/// The examples of the guide: each mistake shows what the page says, and its correction does not.
@Suite(.pooled) struct ScopeGuideTests {
    /// What a file shows of an entity, in the words of the page.
    private func outcome(_ file: String, _ row: GuidePage.Row, _ entities: GuideEntities) throws -> String {
        let parsed: ScopeFile
        do throws(ScopeFileError) {
            parsed = try ScopeFile(json: Array(file.utf8))
        } catch {
            return "refused"
        }
        let explainer = try #require(ScopeExplainer("s", of: parsed))
        let key = ViewKey(type: row.entity.type, id: row.entity.id)
        switch explainer.explain(key, claims: Array(row.claims.utf8), address: row.address, entities) {
        case .shown(let sent): return String(decoding: sent, as: UTF8.self)
        case .badRequest: return "400"
        case .unusableClaim, .forbidden: return "403"
        case .typeNotInScope, .hidden: return "hidden"
        }
    }

    @Test func `every mistake leaks as the page says, and its correction does not`() throws {
        let page = try GuidePage()
        #expect(page.mistakes.count >= 11 && page.entities.count == 14)
        for mistake in page.mistakes {
            #expect(mistake.files.count == 2 && !mistake.rows.isEmpty, "\(mistake.title)")
            #expect(mistake.rows.contains { $0.wrong != $0.right }, "\(mistake.title)")
            for row in mistake.rows {
                for (file, expected) in zip(mistake.files, [row.wrong, row.right]) {
                    let outcome = try outcome(file, row, page.entities)
                    let isExpected = expected == "shown" ? outcome.hasPrefix("{") : outcome == expected
                    #expect(isExpected, "\(mistake.title): \(row.entity.text) is \(outcome), not \(expected)")
                }
            }
        }
    }

    @Test func `the first file of the page is sound, and hides what it says`() throws {
        let page = try GuidePage()
        let text = try #require(page.otherBlocks.first { $0.contains("\"scopes\"") })
        let file = try ScopeFile(json: Array(text.utf8))
        let explainer = try #require(ScopeExplainer("project", of: file))
        let shown = ["project:p1", "issue:i1", "comment:c1", "user:ann"]
        let hidden = [("user:ben", "ann"), ("issue:i2", "ann"), ("note:n1", "ann"), ("issue:i1", "ben")]
        for (name, sub) in shown.map({ ($0, "ann") }) + hidden {
            let key = try #require(EntityKey(text: ByteString(name), library: ""))
            let explanation = explainer.explain(
                ViewKey(type: key.type, id: key.id), claims: Array(#"{"sub":"\#(sub)"}"#.utf8),
                address: [("project", "p1")], page.entities)
            #expect(explanation.isShown == (shown.contains(name) && sub == "ann"), "\(name): \(explanation)")
        }
    }
}

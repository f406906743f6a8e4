import TestTraits
import Testing
import TidemarkModel
import TidemarkStore

@testable import TidemarkGraphQL

/// Records of Apollo iOS become entities, embedded objects and root fields.
@Suite(.pooled) struct ApolloImportTests {
    private func imported(
        _ records: KeyValuePairs<ByteString, String>, rules: GraphQLRules = GraphQLRules()
    ) -> (lines: [String], roots: [FieldResponse.Root], skipped: ApolloImport.Skipped) {
        var conversion = ApolloImport(rules: rules, library: "home")
        for (key, fields) in records { conversion.add(key, fields: Array(fields.utf8)) }
        let response = conversion.response()
        let lines = response.entities.map { "\($0.key.text) \(String(decoding: $0.resource, as: UTF8.self))" }
        return (lines, response.roots, conversion.skipped)
    }

    @Test func `objects with keys become entities, others are embedded, and the query root becomes root fields`() {
        let found = imported([
            "Character:1": #"{"__typename":"Character","id":"1","name":"R2","friends":[{"$reference":"Character:2"}]}"#,
            "Character:2":
                #"{"__typename":"Character","id":"2","height":1.50,"home":{"$reference":"Character:2.home"}}"#,
            "Character:2.home": #"{"__typename":"Planet","name":"Tatooine","star":{"$reference":"Character:1"}}"#,
            "MUTATION_ROOT": #"{"like":{"$reference":"Character:1"}}"#,
            "QUERY_ROOT": #"{"hero(episode:JEDI)":{"$reference":"Character:1"},"version":7}"#,
        ])
        #expect(
            found.lines == [
                #"Character:1 {"id":"1","name":"R2","friends":[{"__ref":"Character:2"}]}"#,
                #"Character:2 {"id":"2","height":1.50,"home":{"__typename":"Planet","name":"Tatooine","star":{"__ref":"Character:1"}}}"#,
                #"Query:hero({"episode":"JEDI"}) {"id":"hero({\"episode\":\"JEDI\"})","value":{"__ref":"Character:1"}}"#,
                #"Query:version {"id":"version","value":7}"#,
            ])
        #expect(found.roots.map(\.name.method) == ["Query.hero", "Query.version"])
        #expect(found.roots.map(\.types) == [["Character"], []])
        #expect(found.skipped == ApolloImport.Skipped())
    }

    @Test func `a reference to nothing, an endless nesting and a broken record are left out and counted`() {
        let found = imported([
            "A:1": #"{"__typename":"A","id":"1","gone":{"$reference":"A:2"},"some":[{"$reference":"A:3"}],"n":1}"#,
            "A:4": "[1]", "A:5": #"{"__typename""#,
            "QUERY_ROOT": #"{"loop":{"$reference":"x"},"odd(one, two)":1}"#, "x": #"{"x":{"$reference":"x"}}"#,
        ])
        #expect(found.lines.first == #"A:1 {"id":"1","n":1}"#)
        #expect(found.skipped.records == 2)
        // Two references, the name with arguments, and the innermost object of the loop.
        #expect(found.skipped.fields == 4)
    }

    @Test func `several key fields make the key, and without them the record's own key does`() {
        let found = imported([
            "B:x": #"{"__typename":"B","name":"without id"}"#, "odd": #"{"__typename":"B","name":"unnamed"}"#,
            "B:7": #"{"__typename":"B","id":7}"#,
        ])
        #expect(found.lines == [#"B:7 {"id":7}"#, #"B:x {"name":"without id"}"#])
    }
}

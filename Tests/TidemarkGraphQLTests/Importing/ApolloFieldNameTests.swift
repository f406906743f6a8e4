import TestTraits
import Testing
import TidemarkGraphQLLanguage
import TidemarkModel

@testable import TidemarkGraphQL

/// Names of fields in records of Apollo iOS, with and without a schema.
@Suite(.pooled) struct ApolloFieldNameTests {
    private func name(_ text: ByteString, in schema: GraphQLSchema? = nil) -> ByteString? {
        ApolloFieldName(text, of: "Query", in: schema)?.storageName
    }

    private func schema() throws -> GraphQLSchema {
        try GraphQLSchema.read(
            Array(
                """
                enum Episode { JEDI }
                input Range { from: Int, to: Int, label: String }
                type Query {
                  hero(episode: Episode): String
                  search(text: String, first: Int, near: Boolean, ids: [ID!], range: Range, ranges: [Range]): String
                }
                """.utf8))
    }

    @Test func `arguments become canonical JSON`() {
        for (text, wanted) in [
            ("hero", "hero"), ("hero(episode:JEDI)", #"hero({"episode":"JEDI"})"#),
            ("friends(after:null,first:10)", #"friends({"after":null,"first":10})"#),
            ("a(x:-1.50,y:true,z:01)", #"a({"x":-1.50,"y":true,"z":"01"})"#),
            ("a([range:from:1,to:2])", #"a({"range":{"from":1,"to":2}})"#),
            ("a(range:[from:1,to:2])", #"a({"range":{"from":1,"to":2}})"#),
            ("a(ids:[1, x, 3])", #"a({"ids":[1,"x",3]})"#), ("a(ids:[])", #"a({"ids":[]})"#),
        ] as [(ByteString, ByteString)] {
            #expect(name(text) == wanted, "\(text)")
        }
    }

    @Test func `a schema decides between texts, numbers and booleans`() throws {
        let schema = try schema()
        for (text, wanted) in [
            ("search(text:10)", #"search({"text":"10"})"#), ("search(first:10)", #"search({"first":10})"#),
            ("search(near:1)", #"search({"near":true})"#), ("search(ids:[1, 2])", #"search({"ids":["1","2"]})"#),
            ("search(range:[from:1,label:7])", #"search({"range":{"from":1,"label":"7"}})"#),
            ("search([range:from:1,label:7])", #"search({"range":{"from":1,"label":"7"}})"#),
            ("hero(episode:JEDI)", #"hero({"episode":"JEDI"})"#),
        ] as [(ByteString, ByteString)] {
            #expect(name(text, in: schema) == wanted, "\(text)")
        }
    }

    @Test func `a name that cannot be read with certainty is refused`() throws {
        for text in [
            "hero(", "(a:1)", "hero(JEDI)", "a(text:one, two)", "a(x:[1)", "a(x:1])", "a(ranges:[from:1,from:2])",
            "a(x:1,x:2)",
        ] as [ByteString] {
            #expect(name(text) == nil, "\(text)")
        }
        let schema = try schema()
        for text in [
            "unknown", "search(other:1)", "search(first:ten)", "search(near:yes)", "search(text:a,b:c)",
            "search(ranges:[from:1])",
        ] as [ByteString] {
            #expect(name(text, in: schema) == (text == "unknown" ? "unknown" : nil), "\(text)")
        }
    }
}

import TestTraits
import Testing
import Tidemark
import TidemarkGraphQL
import TidemarkGraphQLTypes

@Suite(.pooled) struct TortureTests {
    static func graph() throws -> StoredGraph { try StoredGraph(schema: try Sources.text("Torture/schema.graphqls")) }

    @Test func `reserved words are written with their own names`() throws {
        let query = Torture.DataQuery(in: 1, selfVariable: true, where: .value(Torture.Where(initField: true)))
        #expect(
            query.variables.text
                == #"{"in":1,"self":true,"where":{"init":true},"list":["for","while"],"name":"x"}"#)
        var words = Torture.Switch.knownCases.map(\.rawValue)
        #expect(Set(words).count == words.count)
        #expect(words.map { Torture.Switch(rawValue: $0) } == Torture.Switch.knownCases)
        words.append("more")
        #expect(Torture.Switch(rawValue: "more") == .unknown("more"))
    }

    @Test func `fragments inside fragments reach every level`() throws {
        var graph = try TortureTests.graph()
        let query = Torture.Deep(flag: false)
        try graph.write(
            """
            {"union":[{"__typename":"Protocol","id":"p","types":[{"__typename":"Type","id":"t",
            "any":{"__typename":"Data","id":"d","Type":"x","data":{"__typename":"Data","id":"e","Type":null,
            "data":{"__typename":"Data","id":"d"}}}}]}],
            "node":{"__typename":"Data","id":"d","Type":"x","self":{"__typename":"Data","id":"d","Type":"x",
            "self":{"__typename":"Data","id":"d"}},"data":{"__typename":"Data","id":"e"}}}
            """, of: query)
        let data = try graph.data(query, completeness: .deferred)
        let node = try #require(data.node)
        #expect(node.asData?.data?.id == "e")
        #expect(node.fragments.loop.asData?.data?.fragments.dataBits.data?.id == "d")
        #expect(
            node.fragments.loop.selfField?.selfField?.$inner
                == node.selfField?.selfField?.$inner.map {
                    .init(
                        typename: $0.typename, selfField: $0.selfField.map { .init(typename: $0.typename, id: $0.id) })
                })
        let bits = try #require(data.union.first?.fragments.unionBits)
        #expect(bits.asProtocol?.types?.first??.any?.asData?.data?.id == "e")
        #expect(data.fragments.rootBits.union.first?.id == "p")
    }
}

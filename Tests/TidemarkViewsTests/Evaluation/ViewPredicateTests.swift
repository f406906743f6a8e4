import TestTraits
import Testing
import TidemarkViews

@Suite(.pooled) struct ViewPredicateTests {
    /// Returns the ids of the entities of which a predicate holds.
    private func ids(_ predicate: String, _ resources: [String], _ parameters: String = "{}") throws -> String {
        var world = ViewWorld()
        let window = try world.observe(
            #"{"from":"t","where":\#(predicate),"select":{"i":"t/i"}}"#, parameters)
        // As a filter of the source, and of the joined rows: the same condition twice.
        let own = try world.observe(
            #"{"from":{"type":"t","where":\#(predicate.replacing("\"t/", with: "\"/"))},"select":{"i":"t/i"}}"#,
            parameters)
        for (index, resource) in resources.enumerated() {
            world.apply([("t:\(index)", #"{"i":\#(index),\#(resource)}"#)])
        }
        try world.check()
        #expect(world.rows(window) == world.rows(own))
        return world.rows(window).filter { $0.isNumber || $0 == "," }
    }

    @Test(arguments: [
        (#"{"path":"t/a","eq":{"path":"t/b"}}"#, "0,4"), (#"{"path":"t/a","ne":{"path":"t/b"}}"#, "1,2,3,5"),
        (#"{"path":"t/a","lt":{"path":"t/b"}}"#, "1"), (#"{"path":"t/a","gte":{"path":"t/b"}}"#, "0,4"),
        (#"{"not":{"path":"t/a","eq":{"path":"t/b"}}}"#, "1,2,3,5"),
    ]) func `two values are compared, and one without a value fulfils only ne`(predicate: String, wanted: String) throws
    {
        let resources = [
            #""a":1,"b":1.0"#, #""a":1,"b":2"#, #""a":1"#, #""b":1"#, #""a":null,"b":null"#, #""a":[1],"b":"1""#,
        ]
        #expect(try ids(predicate, resources) == wanted)
    }

    @Test func `in and prefix at a path hold only for an array and for a string`() throws {
        let resources = [
            #""a":1,"b":[2,1.0]"#, #""a":1,"b":1"#, #""a":1"#, #""a":"xy","b":"x""#, #""a":"xy","b":["x"]"#,
        ]
        #expect(try ids(#"{"path":"t/a","in":{"path":"t/b"}}"#, resources) == "0")
        #expect(try ids(#"{"path":"t/a","prefix":{"path":"t/b"}}"#, resources) == "3")
        #expect(try ids(#"{"path":"t/a","exists":false}"#, resources + [#""b":1"#]) == "5")
    }

    @Test func `parameters are values, null included`() throws {
        let resources = [#""a":1"#, #""a":null"#, #""b":1"#, #""a":"x""#]
        #expect(try ids(#"{"path":"t/a","eq":{"param":"p"}}"#, resources, #"{"p":null}"#) == "1")
        #expect(try ids(#"{"path":"t/a","ne":{"param":"p"}}"#, resources, #"{"p":1.0}"#) == "1,2,3")
        #expect(try ids(#"{"path":"t/a","in":{"param":"p"}}"#, resources, #"{"p":[null,"x"]}"#) == "1,3")
        #expect(try ids(#"{"path":"t/a","prefix":{"param":"p"}}"#, resources, #"{"p":""}"#) == "3")
        #expect(try ids(#"{"path":"t/a","lte":{"param":"p"}}"#, resources, #"{"p":[1]}"#) == "")
    }

    @Test func `an operand that looks like a parameter is written as a value`() throws {
        let resources = [#""a":{"param":"p"}"#, #""a":{"value":1}"#, #""a":{"path":"z","x":1}"#]
        #expect(try ids(#"{"path":"t/a","eq":{"value":{"param":"p"}}}"#, resources) == "0")
        #expect(try ids(#"{"path":"t/a","eq":{"value":{"value":1}}}"#, resources) == "1")
        #expect(try ids(#"{"path":"t/a","eq":{"x":1.0,"path":"z"}}"#, resources) == "2")
        #expect(try ids(#"{"path":"t/a","in":[{"param":"p"}]}"#, resources) == "0")
    }

    @Test func `a star is a name outside of on, and an index counts`() throws {
        let resources = [#""a":{"*":1}"#, #""a":[1]"#, #""a":[0,1]"#]
        #expect(try ids(#"{"path":"t/a/*","eq":1}"#, resources) == "0")
        #expect(try ids(#"{"path":"t/a/1","eq":1}"#, resources) == "2")
        #expect(try ids(#"{"any":[]}"#, resources) == "")
        #expect(try ids(#"{"all":[]}"#, resources) == "0,1,2")
    }
}

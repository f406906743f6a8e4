import TestTraits
import Testing
import TidemarkGraphQL
import TidemarkModel

@Suite(.pooled) struct ResponseNormalizerTests {
    @Test func `an object with a typename and an id is an entity, and the root field refers to it`() throws {
        let world = try GraphQLWorld()
        #expect(
            try world.lines(
                "{ hero { __typename id name height } }",
                #"{"hero":{"__typename":"Character","id":"1000","name":"Luke","height":1.720}}"#) == [
                    #"Character:1000 {"id":"1000","name":"Luke","height":1.720}"#,
                    #"Query:hero {"id":"hero","value":{"__ref":"Character:1000"}}"#,
                ])
    }

    /// Found by the fuzzer of answers.
    @Test func `a key that is selected under several names is the one that is stored`() throws {
        let world = try GraphQLWorld()
        #expect(
            try world.lines("{ a { __typename x: id id } }", #"{"a":{"__typename":"A","x":"1","id":"2"}}"#) == [
                #"A:2 {"id":"2"}"#, #"Query:a {"id":"a","value":{"__ref":"A:2"}}"#,
            ])
        // The name under which a later part brings it again is not there yet.
        #expect(
            try world.lines(
                "{ a { __typename ... @defer { x: id } id } }", #"{"a":{"__typename":"A","id":"2"}}"#) == [
                    #"A:2 {"id":"2"}"#, #"Query:a {"id":"a","value":{"__ref":"A:2"}}"#,
                ])
    }

    @Test func `an object without a key stays in the field that holds it`() throws {
        let world = try GraphQLWorld()
        #expect(
            try world.lines(
                "{ hero { __typename id born { __typename year } } }",
                #"{"hero":{"__typename":"C","id":7,"born":{"__typename":"Date","year":19}}}"#) == [
                    #"C:7 {"id":7,"born":{"__typename":"Date","year":19}}"#,
                    #"Query:hero {"id":"hero","value":{"__ref":"C:7"}}"#,
                ])
    }

    @Test func `arguments make the storage name, and aliases never do`() throws {
        let world = try GraphQLWorld()
        #expect(
            try world.lines(
                "query Q($n: Int = 2) { a: hero(first: $n, x: E) { n: name } }", #"{"a":{"n":"L"}}"#) == [
                    #"Query:hero({"first":2,"x":"E"}) {"id":"hero({\"first\":2,\"x\":\"E\"})","value":{"name":"L"}}"#
                ])
    }

    @Test func `a null that an error explains is not stored, and leaves its list unstored`() throws {
        let world = try GraphQLWorld()
        #expect(
            try world.lines(
                "{ hero { __typename id name friends { __typename id } } }",
                #"{"hero":{"__typename":"C","id":"1","name":null,"friends":[{"__typename":"C","id":"2"},null]}}"#,
                errors: #"[{"message":"no","path":["hero","name"]},{"message":"x","path":["hero","friends",1,"id"]}]"#)
                == [
                    #"C:1 {"id":"1"}"#, #"C:2 {"id":"2"}"#,
                    #"Query:hero {"id":"hero","value":{"__ref":"C:1"}}"#,
                ])
    }

    @Test func `one entity that an answer names twice is put together`() throws {
        let world = try GraphQLWorld()
        #expect(
            try world.lines(
                "{ a: x { __typename id p { q } l { i } } b: x { __typename id p { r } l { j } } }",
                #"{"a":{"__typename":"C","id":"1","p":{"q":1},"l":[{"i":1},{"i":2}]},"#
                    + #""b":{"__typename":"C","id":"1","p":{"r":2},"l":[{"j":3},{"j":4}]}}"#)
                == [
                    #"C:1 {"id":"1","p":{"q":1,"r":2},"l":[{"i":1,"j":3},{"i":2,"j":4}]}"#,
                    #"Query:x {"id":"x","value":{"__ref":"C:1"}}"#,
                ])
    }

    @Test func `several key fields are joined, with their signs escaped`() throws {
        let world = try GraphQLWorld(
            #"""
            type Query { book: Book }
            type Book @typePolicy(keyFields: "shelf no") { shelf: String no: Int title: String }
            """#)
        #expect(
            try world.lines("{ book { title } }", #"{"book":{"title":"T","shelf":"a+b\\","no":3}}"#) == [
                #"Book:a\+b\\+3 {"title":"T","shelf":"a+b\\","no":3}"#,
                #"Query:book {"id":"book","value":{"__ref":"Book:a\\+b\\\\+3"}}"#,
            ])
    }

    @Test(arguments: ["null", "\"\"", "1.5", "true", "{}", "[]"])
    func `a key that cannot be one leaves the object embedded`(key: String) throws {
        let world = try GraphQLWorld()
        let lines = try world.lines("{ a { __typename id } }", #"{"a":{"__typename":"C","id":\#(key)}}"#)
        #expect(lines == [#"Query:a {"id":"a","value":{"__typename":"C","id":\#(key)}}"#])
    }

    @Test(arguments: [
        (#"{"a":1}"#, "a is no object, and fields of it are selected"),
        (#"{}"#, "a is selected and not there: answer every selected field"),
        (#"{"a":{"b":[{}]}}"#, "a.b[0].c is selected and not there: answer every selected field"),
        (#"{"a":{"b":[[1]]}}"#, "a.b[0][0] is no object, and fields of it are selected"),
        (#"{"a":{"__typename":1,"b":null}}"#, "a has a __typename that is no string"),
        (#"[]"#, "data is no object"), (#"{"a""#, "data is no JSON, or nests too deeply: send one JSON value"),
    ])
    func `an answer that does not fit is refused with its place`(data: String, message: String) throws {
        let world = try GraphQLWorld()
        #expect(throws: ResponseError.self) { try world.normalized("{ a { b { c } } }", data) }
        do {
            _ = try world.normalized("{ a { b { c } } }", data)
        } catch let fault as ResponseError {
            #expect(fault.description == message)
        }
    }

    @Test(arguments: [
        (#"{"l":1,"o":null}"#, "l is no list"), (#"{"l":null,"o":[]}"#, "o is a list, and its type is none"),
        (#"{"l":null,"o":{"__typename":"X","i":1}}"#, "o has the __typename X, which the schema does not have"),
        (
            #"{"l":null,"o":{"__typename":"P","i":1}}"#,
            "o has the __typename P, where the schema declares O"
        ),
        (#"{"l":[{"a":1}],"o":null}"#, "l[0] is an object, and no fields of it are selected"),
    ])
    func `a schema says where lists and objects belong`(data: String, message: String) throws {
        let world = try GraphQLWorld("type Query { l: [Int] o: O } type O { i: Int } type P { i: Int }")
        do {
            _ = try world.normalized("{ l o { i } }", data)
            Issue.record("nothing was refused")
        } catch let fault as ResponseError {
            #expect(fault.description == message)
        }
    }
}

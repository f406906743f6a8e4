import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled, .tags(.process)) struct GraphQLCheckTests {
    private static let schema = "type Query { hero: Hero count: Int! } type Hero { id: ID! name: String }"

    private func check(
        _ documents: [String: String], _ options: [String] = [], schema: String? = schema
    ) async throws -> (folder: TemporaryFolder, result: CommandResult) {
        let folder = try TemporaryFolder()
        var arguments = ["graphql", "check"] + options
        if let schema { arguments += ["--schema", try folder.write(Array(schema.utf8), to: "schema.graphqls")] }
        for (name, text) in documents.sorted(by: { $0.key < $1.key }) {
            arguments.append(try folder.write(Array(text.utf8), to: name))
        }
        return (folder, try await CommandRunner().run(arguments))
    }

    @Test func `sound documents are counted`() async throws {
        let (folder, result) = try await check([
            "a": "query A { hero { name } } query B { count }", "b": "fragment F on Hero { id }",
        ])
        #expect(result.status == 0 && result.errorText == "")
        #expect(
            result.outputLines == [
                "\(folder.path("a")): sound: 2 operations and 0 fragments",
                "\(folder.path("b")): sound: 0 operations and 1 fragment",
            ])
    }

    @Test func `every error is listed with its file, line and column, and the command ends with 65`() async throws {
        let (folder, result) = try await check(["a": "{ count }", "b": "{\n  hero { nam }\n  count { x } }", "c": "{"])
        #expect(result.status == 65)
        #expect(
            result.outputLines == [
                "\(folder.path("a")): sound: 1 operation and 0 fragments",
                "\(folder.path("b")):2:10: unknown_field: Hero has no field nam; select one that it has.",
                "\(folder.path("b")):3:3: unexpected_selection: count is Int! and has no fields; remove the braces.",
                "\(folder.path("c")):1:2: syntax: found the end of the document, expected a field, \"...\" or \"}\"; leave out "
                    + "braces with nothing in them",
            ])
        #expect(
            result.errorText
                == "tidemark: invalid_document: 3 errors in 2 documents; a server would refuse these documents; "
                + "correct it, then check again\n")
    }

    @Test func `without a schema only rules that need none are checked`() async throws {
        let (folder, result) = try await check(["a": "{ nobody { ...F } b(x: $v) }"], schema: nil)
        #expect(result.status == 65)
        #expect(
            result.outputLines == [
                "\(folder.path("a")):1:15: unknown_fragment: There is no fragment F; define it, or spread another.",
                "\(folder.path("a")):1:24: undefined_variable: The operation does not define $v; define it.",
            ])
    }

    @Test func `a limit that was passed is an error`() async throws {
        let (folder, result) = try await check(["a": "{" + String(repeating: "a{", count: 70)], schema: nil)
        #expect(result.status == 65)
        #expect(
            result.outputText.hasPrefix(
                "\(folder.path("a")): limit_exceeded: The document holds more than 64 nested brackets")
        )
    }

    @Test func `programs get one line of JSON`() async throws {
        let (folder, result) = try await check(["a": "{ count }", "b": "{ x }"], ["--json"])
        #expect(result.status == 65)
        #expect(
            result.outputText == """
                {"ok":false,"schema_errors":[],"documents":[{"file":"\(folder.path("a"))","ok":true,"operation_count":1,\
                "fragment_count":0,"code":null,"message":null,"errors":[]},{"file":"\(folder.path("b"))","ok":false,\
                "operation_count":1,"fragment_count":0,"code":"invalid_document","message":"The document breaks the rules of \
                GraphQL: Query has no field x; select one that it has.","errors":[{"rule":"unknown_field","line":1,"column":3,\
                "message":"Query has no field x; select one that it has."}]}]}

                """)
    }

    @Test func `a schema that cannot be used ends with 78, a file that is not there with 66`() async throws {
        let (folder, result) = try await check(["a": "{ count }"], schema: "type Query { a: Nobody }")
        #expect(result.status == 78)
        #expect(
            result.outputLines == [
                "\(folder.path("schema.graphqls")):1:17: unknown_type: Nobody is used and not defined; define it"
            ])
        #expect(result.errorText.hasPrefix("tidemark: bad_schema: 1 error; "))
        let json = try await check(["a": "{ count }"], ["--json"], schema: "type Query { a: Nobody }").result
        #expect(
            json.status == 78
                && json.outputText.hasPrefix(#"{"ok":false,"schema_errors":[{"code":"unknown_type","line":1,"#))
        let missing = try await CommandRunner().run(["graphql", "check", folder.path("none")])
        #expect(missing.status == 66 && missing.outputText == "")
    }
}

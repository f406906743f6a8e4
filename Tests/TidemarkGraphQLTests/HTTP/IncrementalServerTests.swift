import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Answers in parts of graphql-core, a real server, in both forms.
@Suite(
    .enabled(
        if: PythonEnvironment.interpreter(of: "python-defer") != nil
            && PythonEnvironment.interpreter(of: "python-incremental") != nil, "\(PythonEnvironment.advice)"),
    .pooled, .tags(.process))
struct IncrementalServerTests {
    private static let forms = [
        ("python-defer", "deferSpec=20220824"), ("python-incremental", "incrementalSpec=v0.2"),
    ]
    private static let document =
        #"{ hero { id ... @defer(label: \"late\") { slow friends { id name } } ... @defer(label: \"bad\") { broken } } }"#

    private static func answers(_ port: String, _ folder: TemporaryFolder, _ requests: [String]) throws -> [String] {
        let live = try LiveCommand([
            "run", "--db", folder.path("cache.db"), "--graphql-endpoint", "http://127.0.0.1:\(port)/graphql",
        ])
        var answers: [String] = []
        for (id, request) in requests.enumerated() {
            live.write(Array((#"{"jsonrpc":"2.0","id":\#(id),\#(request)}"# + "\n").utf8))
            while case .line(let line) = live.next(seconds: 120) {
                let text = String(decoding: line, as: UTF8.self)
                guard text.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"#) else { continue }
                answers.append(text)
                break
            }
        }
        let end = live.finish(seconds: 60)
        #expect(end.status == 0, "\(end.errors)")
        return answers
    }

    @Test(arguments: forms)
    func `a deferred fragment of graphql-core arrives and is stored`(environment: String, spec: String) throws {
        let server = try GraphQLCoreServer(environment: environment, spec: spec)
        let folder = try TemporaryFolder()
        let read = #""method":"graphql.read","params":{"document":"\#(Self.document)""#
        let answers = try Self.answers(
            server.port, folder,
            [
                read + "}", read + #","policy":"cacheOnly"}"#,
                #""method":"entity.get","params":{"resource_type":"Character","id":"1000"}"#,
                #""method":"graphql.mutate","params":{"document":"mutation($n: String!) { rename(name: $n) { id name } }","variables":{"n":"Artoo"}}"#,
                #""method":"graphql.read","params":{"document":"{ hero { name } }","policy":"cacheOnly"}"#,
            ])
        try server.stop()
        try #require(answers.count == 5)
        let friends = #""slow":"at last","friends":[{"id":"1000","name":"Luke"},{"id":"1003","name":"Leia"}]"#
        #expect(answers[0].contains(#""data":{"hero":{"id":"2001",\#(friends),"broken":null}}"#), "\(answers[0])")
        #expect(answers[0].contains("it is broken") && answers[0].contains(#""response":"complete""#), "\(answers[0])")
        #expect(answers[0].contains(#""label":"late","state":"fulfilled""#), "\(answers[0])")
        // The null that the error explains is not kept.
        #expect(
            answers[1].contains(friends) && answers[1].contains(#""label":"bad","state":"pending""#), "\(answers[1])")
        #expect(answers[2].contains(#""entity":{"id":"1000","name":"Luke"}"#), "\(answers[2])")
        #expect(answers[3].contains(#""data":{"rename":{"id":"2001","name":"Artoo"}}"#), "\(answers[3])")
        #expect(answers[4].contains(#""data":{"hero":{"name":"Artoo"}}"#), "\(answers[4])")
    }
}

import TestTraits
import Testing
import TidemarkModel
import TidemarkStore

@Suite(.pooled) struct MembershipRuleTests {
    private func message(_ rule: String) -> String {
        do throws(MembershipError) {
            _ = try Membership(json: Array(rule.utf8))
            return "no error"
        } catch {
            return error.message
        }
    }

    private static let operators = "eq ne lt lte gt gte in exists"
    private static let noPredicate = "is not a predicate; write a path with an operator, or one of all, any, not alone"

    @Test(arguments: [
        ("7", "the membership rule is not an object; write {…}"),
        ("{}", "/resource_type of the membership rule is missing; name the type whose resources the list holds"),
        (
            #"{"resource_type":null}"#,
            "/resource_type of the membership rule is missing; name the type whose resources the list holds"
        ),
        (#"{"resource_type":7}"#, "/resource_type of the membership rule is not a string; write \"…\""),
        (
            #"{"resource_type":"a b"}"#,
            "/resource_type of the membership rule is not a type; write 1 to 128 of A-Z a-z 0-9 _ . -"
        ),
        (
            #"{"resource_type":""}"#,
            "/resource_type of the membership rule is not a type; write 1 to 128 of A-Z a-z 0-9 _ . -"
        ),
    ])
    func `a rule is an object that names a type`(rule: String, wanted: String) {
        #expect(message(rule) == wanted)
    }

    @Test(arguments: [
        (#""where":7"#, "/where", "is not an object; write {…}"),
        (#""where":{}"#, "/where", noPredicate),
        (#""where":{"eq":1}"#, "/where", noPredicate),
        (#""where":{"none":[]}"#, "/where", noPredicate),
        (#""where":{"all":[],"any":[]}"#, "/where", noPredicate),
        (#""where":{"path":"/a"}"#, "/where", "has a path but no operator; write one of \(operators) prefix"),
        (
            #""where":{"path":"/a","equals":1}"#, "/where",
            "has a member that is not an operator; write \(operators) or prefix beside the path"
        ),
        (
            #""where":{"path":"/a","eq":1,"all":[]}"#, "/where",
            "has a member that is not an operator; write \(operators) or prefix beside the path"
        ),
        (#""where":{"path":7,"eq":1}"#, "/where/path", "is not a string; write \"…\""),
        (
            #""where":{"path":"a","eq":1}"#, "/where/path",
            "does not begin with a slash; write a JSON Pointer such as \"/kind\""
        ),
        (
            #""where":{"path":"/a~2","eq":1}"#, "/where/path",
            "holds a ~ that is neither ~0 nor ~1; write ~0 for ~ and ~1 for /"
        ),
        (
            #""where":{"path":"/a~","eq":1}"#, "/where/path",
            "holds a ~ that is neither ~0 nor ~1; write ~0 for ~ and ~1 for /"
        ),
        (#""where":{"path":"/a","in":1}"#, "/where/in", "is not an array; write […]"),
        (#""where":{"path":"/a","exists":null}"#, "/where/exists", "is neither true nor false; write one of them"),
        (#""where":{"path":"/a","prefix":1}"#, "/where/prefix", "is not a string; write \"…\""),
        (#""where":{"all":{}}"#, "/where/all", "is not an array; write […]"),
        (#""where":{"not":[]}"#, "/where/not", "is not an object; write {…}"),
        (
            #""where":{"all":[{"all":[]},{"not":{"any":[null]}}]}"#, "/where/all/1/not/any/0",
            "is not an object; write {…}"
        ),
        (#""order":{}"#, "/order", "is not an array; write […]"),
        (#""order":[{"path":"/a"},"/b"]"#, "/order/1", "is not an object; write {…}"),
        (#""order":[{}]"#, "/order/0/path", "is missing; write a JSON Pointer such as \"/name\""),
        (
            #""order":[{"path":"/a","direction":"down"}]"#, "/order/0/direction",
            "is not a direction; write \"asc\" or \"desc\""
        ),
        (#""order":[{"path":"/a","direction":1}]"#, "/order/0/direction", "is not a string; write \"…\""),
        (#""limit":0"#, "/limit", "is not an integer of 1 or more; leave it out for no limit"),
        (#""limit":-1"#, "/limit", "is not an integer of 1 or more; leave it out for no limit"),
        (#""limit":1.0"#, "/limit", "is not an integer of 1 or more; leave it out for no limit"),
        (#""limit":"5""#, "/limit", "is not an integer of 1 or more; leave it out for no limit"),
        (#""limit":9223372036854775808"#, "/limit", "is not an integer of 1 or more; leave it out for no limit"),
        (#""scope":"/a""#, "/scope", "is not an object; write {…}"),
        (#""scope":{}"#, "/scope/path", "is missing; write the directory, a string or a tagged path"),
        (
            #""scope":{"path":{"Content":{"content_id":"c"}}}"#, "/scope/path",
            "is not a path; write a string, {\"Physical\":{\"device_slug\":…,\"path\":…}} or "
                + "{\"Cloud\":{\"service\":…,\"identifier\":…,\"path\":…}}"
        ),
        (#""scope":{"path":"/a","recursive":1}"#, "/scope/recursive", "is neither true nor false; write one of them"),
        (
            #""scope":{"path":"/a","pointer":"b"}"#, "/scope/pointer",
            "does not begin with a slash; write a JSON Pointer such as \"/kind\""
        ),
    ])
    func `an error of a rule is reported with its place`(member: String, place: String, what: String) {
        #expect(message(#"{"resource_type":"t",\#(member)}"#) == "\(place) of the membership rule \(what)")
    }

    @Test func `absent, null and unknown members of a rule make no difference`() throws {
        let rule = try Membership(
            json: Array(
                #"{"resource_type":"t","where":null,"order":null,"limit":null,"scope":null,"note":[1]}"#.utf8))
        #expect(rule.resourceType == "t")
        #expect(rule.limit == nil)
        #expect(Array("{}".utf8).withUnsafeBytes { rule.matches($0) })
        let scoped = #"{"resource_type":"t","scope":{"path":"/a","recursive":null,"pointer":null,"note":1},"limit":3}"#
        #expect(try Membership(json: Array(scoped.utf8)).limit == 3)
        #expect(message(#"{"resource_type":"t","order":[{"path":"/a","direction":null,"note":1}]}"#) == "no error")
    }

    @Test func `a limit accepts its last value and refuses the next`() {
        func rule(_ predicate: String) -> String { #"{"resource_type":"t","where":\#(predicate)}"# }
        func nested(_ depth: Int) -> String {
            let outer = String(repeating: #"{"not":"#, count: depth - 1)
            return rule(outer + #"{"path":"/a","eq":1}"# + String(repeating: "}", count: depth - 1))
        }
        #expect(message(nested(32)) == "no error")
        let place = "/where" + String(repeating: "/not", count: 32)
        #expect(
            message(nested(33))
                == "\(place) of the membership rule nests deeper than 32; write fewer all, any and not around it")

        func wide(_ count: Int) -> String {
            let tests = Array(repeating: #"{"path":"/a","gte":1,"lt":2}"#, count: count)
            return rule(#"{"any":[\#(tests.joined(separator: ","))]}"#)
        }
        #expect(message(wide(499)) == "no error")
        #expect(
            message(wide(500)) == "/where/any/499 of the membership rule is one predicate more than 1000; write fewer")

        func alternatives(_ count: Int) -> String {
            rule(#"{"path":"/a","in":[\#(Array(repeating: "1", count: count).joined(separator: ","))]}"#)
        }
        #expect(message(alternatives(10_000)) == "no error")
        #expect(
            message(alternatives(10_001)) == "/where/in of the membership rule brings the values of all in to 10001; "
                + "write at most 10000")

        func ordered(_ count: Int) -> String {
            let order = Array(repeating: #"{"path":"/a"}"#, count: count).joined(separator: ",")
            return #"{"resource_type":"t","order":[\#(order)]}"#
        }
        #expect(message(ordered(16)) == "no error")
        #expect(message(ordered(17)) == "/order of the membership rule has 17 components; write at most 16")

        func long(_ count: Int) -> String { rule(#"{"path":"\#(String(repeating: "/a", count: count))","eq":1}"#) }
        #expect(message(long(64)) == "no error")
        #expect(
            message(long(65)) == "/where/path of the membership rule has 65 tokens; nothing is nested deeper than 64")
        #expect(message(#"{"resource_type":"\#(String(repeating: "t", count: 128))"}"#) == "no error")
        let tooLong = message(#"{"resource_type":"\#(String(repeating: "t", count: 129))"}"#)
        #expect(tooLong.contains("is not a type; write 1 to 128 of"))
    }
}

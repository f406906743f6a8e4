import TestTraits
import Testing
import Tidemark
import TidemarkModel

/// The input of `query.put` and the answer to `query.fetch`.
@Suite(.pooled) struct QueryResultTests {
    private func result(_ json: String, _ limits: Limits = Limits()) throws(CacheError) -> QueryResult {
        try QueryResult(json: Array(json.utf8), limits: limits)
    }

    @Test func `every member is read`() throws {
        let found = try result(
            #"{"resource_type":"file","resources":[{"id":1,"x":1.10},{"id":"2"}],"included":[{"resource_type":"tag","resources":[{"id":"t"}]}],"#
                + #""ttl":1.5,"as_of":9223372036854775807,"membership":{"limit":2},"tags":["a"],"local":true,"what":[1]}"#
        )
        var wanted = QueryResult(
            resourceType: "file", resources: [Array(#"{"id":1,"x":1.10}"#.utf8), Array(#"{"id":"2"}"#.utf8)])
        wanted.included = [QueryResult.Included(resourceType: "tag", resources: [Array(#"{"id":"t"}"#.utf8)])]
        wanted.timeToLive = .milliseconds(1_500)
        wanted.asOf = EventSequence(.max)
        wanted.membership = Array(#"{"limit":2}"#.utf8)
        wanted.tags = Array(#"["a"]"#.utf8)
        wanted.isLocal = true
        #expect(found == wanted)
    }

    @Test func `null counts as absent, and few members are required`() throws {
        let wanted = QueryResult(resourceType: "file", resources: [])
        #expect(try result(#"{"resource_type":"file","resources":[]}"#) == wanted)
        #expect(
            try result(
                #"{"resource_type":"file","resources":[],"included":null,"ttl":null,"as_of":null,"membership":null,"tags":null,"local":null}"#
            ) == wanted)
        var local = wanted
        local.isLocal = true
        local.membership = Array("{}".utf8)
        #expect(try result(#"{"resource_type":"file","local":true,"membership":{}}"#) == local)
    }

    @Test(arguments: [
        ("[]", "params is an array: pass an object"),
        (#"{"resources":[]}"#, "resource_type is missing: pass the type of the resource"),
        (#"{"resource_type":"file"}"#, "resources is missing: pass an array of objects"),
        (#"{"resource_type":"file","resources":[{},7]}"#, "resources[1] is a number: pass an object"),
        (
            #"{"resource_type":"file","resources":[],"included":[{"resource_type":"a"}]}"#,
            "included[0].resources is missing: pass an array of objects"
        ),
        (
            #"{"resource_type":"file","resources":[],"included":[{"resource_type":"a b","resources":[]}]}"#,
            "included[0].resource_type is 'a b': pass letters, digits and _ . - only"
        ),
        (
            #"{"resource_type":"file","resources":[],"ttl":-0.1}"#,
            "ttl is a number: pass seconds, from 0 to 1000000000000"
        ),
        (
            #"{"resource_type":"file","resources":[],"ttl":1e400}"#,
            "ttl is a number: pass seconds, from 0 to 1000000000000"
        ),
        (
            #"{"resource_type":"file","resources":[],"as_of":9223372036854775808}"#,
            "as_of is 9223372036854775808: pass a whole number from 0 to 9223372036854775807"
        ),
        (
            #"{"resource_type":"file","resources":[],"tags":"a"}"#,
            "tags is a string: pass an array of strings, or an object"
        ),
        (
            #"{"resource_type":"file","resources":[],"local":true}"#,
            "local is true: pass a membership to evaluate as well"
        ),
    ])
    func `an error names the wrong member`(_ json: String, _ wanted: String) {
        let error = #expect(throws: CacheError.self) { try result(json) }
        #expect(error == CacheError(.invalidParams, wanted))
    }

    @Test func `too many resources are refused`() throws {
        var limits = Limits()
        limits.batchMemberCountMax = 2
        _ = try result(#"{"resource_type":"file","resources":[{},{}]}"#, limits)
        let error = #expect(throws: CacheError.self) {
            try result(#"{"resource_type":"file","resources":[{},{},{}]}"#, limits)
        }
        #expect(error == CacheError(.limitExceeded, "resources has 3 elements: pass at most 2 at once"))
    }
}

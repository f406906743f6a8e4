import TestTraits
import Testing
import TidemarkModel
import TidemarkStore

@Suite(.pooled) struct MembershipCandidatesTests {
    private func membership(_ members: String) throws -> Membership {
        try Membership(json: Array(#"{"resource_type":"file",\#(members)}"#.utf8))
    }

    /// Returns candidates of one rule for each number; the number is its query.
    private func candidates(_ count: Int, _ members: (Int) -> String) throws -> MembershipCandidates {
        var candidates = MembershipCandidates()
        for number in 0..<count { candidates.insert(QueryID(number), try membership(members(number))) }
        candidates.checkInvariants()
        return candidates
    }

    @Test func `a value finds only its query among a thousand`() throws {
        let candidates = try candidates(1_000) { #""where":{"path":"/album","eq":\#($0)}"# }
        #expect(candidates.candidates(for: #"{"album":7.0}"#) == [7])
        #expect(candidates.candidates(for: #"{"album":"7"}"#) == [])
        #expect(candidates.candidates(for: #"{"album":1,"al\u0062um":2}"#) == [2])
        #expect(candidates.candidates(for: "{}") == [])
    }

    @Test func `an in is found for each of its values`() throws {
        let candidates = try candidates(1_000) { #""where":{"path":"/album","in":[\#($0),\#($0 + 1),"x\#($0)"]}"# }
        #expect(candidates.candidates(for: #"{"album":7}"#) == [6, 7])
        #expect(candidates.candidates(for: #"{"album":"x7"}"#) == [7])
    }

    @Test func `an any of values is found for each value, at any place`() throws {
        let candidates = try candidates(1_000) {
            #""where":{"any":[{"path":"/a","eq":\#($0)},{"all":[{"path":"/b","eq":\#($0)},{"path":"/c","gt":0}]}]}"#
        }
        #expect(candidates.candidates(for: #"{"a":7}"#) == [7])
        #expect(candidates.candidates(for: #"{"a":7,"b":8}"#) == [7, 8])
    }

    @Test func `a nested conjunct is enough`() throws {
        let candidates = try candidates(1_000) {
            #""where":{"all":[{"path":"/size","gt":0},{"all":[{"path":"/x/y","eq":"\#($0)"}]}]}"#
        }
        #expect(candidates.candidates(for: #"{"size":1,"x":{"y":"12"}}"#) == [12])
    }

    @Test func `a string finds only its prefixes among a thousand`() throws {
        let candidates = try candidates(1_000) { #""where":{"path":"/name","prefix":"\#($0)"}"# }
        #expect(candidates.candidates(for: #"{"name":"\u0031234"}"#) == [1, 12, 123])
        #expect(candidates.candidates(for: #"{"name":123}"#) == [])
        #expect(candidates.candidates(for: #"{"name":"x"}"#) == [])
    }

    @Test func `a date finds only the ranges with its first bytes among a thousand`() throws {
        let candidates = try candidates(1_000) {
            #""where":{"all":[{"path":"/at","gte":"\#(1_000 + $0)-01-01"},{"path":"/at","lt":"\#(1_000 + $0)-12-31"}]}"#
        }
        #expect(candidates.candidates(for: #"{"at":"1026-01-22"}"#) == [26])
        #expect(candidates.candidates(for: #"{"at":1026}"#) == [])
        let decades = try self.candidates(100) {
            #""where":{"path":"/at","gte":"1\#(100 + $0 )0","lt":"1\#(100 + $0)5"}"#
        }
        #expect(decades.candidates(for: #"{"at":"11233"}"#) == [23])
    }

    @Test func `bounds of two pointers do not make a range`() throws {
        let candidates = try candidates(1) { _ in
            #""where":{"all":[{"path":"/a","gte":"ab1"},{"path":"/b","lt":"ab2"}]}"#
        }
        #expect(candidates.candidates(for: #"{"a":"z","b":"a"}"#) == [0])
    }

    @Test func `a long prefix is found by its beginning`() throws {
        let long = String(repeating: "x", count: 300)
        let candidates = try candidates(2) { #""where":{"path":"/name","prefix":"\#($0)\#(long)"}"# }
        #expect(candidates.candidates(for: #"{"name":"1\#(long)"}"#) == [1])
        #expect(candidates.candidates(for: #"{"name":"1\#(long.dropLast())"}"#) == [1])
    }

    @Test func `prefixes past the limit of lengths are candidates for every entity, and can be removed`() throws {
        func prefix(_ number: Int) -> String {
            #""where":{"path":"/name","prefix":"\#(String(repeating: "x", count: number + 1))"}"#
        }
        var candidates = try candidates(100, prefix)
        #expect(candidates.candidates(for: #"{"name":"xxx"}"#) == [0, 1, 2] + queries(64..<100))
        for number in 0..<100 {
            candidates.remove(QueryID(number), try membership(prefix(number)))
            candidates.checkInvariants()
        }
        #expect(candidates.isEmpty)
    }

    @Test func `a path finds only its directories among a thousand`() throws {
        let candidates = try candidates(1_000) {
            #""scope":{"path":{"Physical":{"device_slug":"mac","path":"/d/\#($0 / 2)"}},"recursive":\#($0 % 2 == 1)}"#
        }
        func at(_ path: String) -> [QueryID] {
            candidates.candidates(for: #"{"sd_path":{"Physical":{"device_slug":"mac","path":"\#(path)"}}}"#)
        }
        #expect(at("/d/7/x") == [14, 15])
        #expect(at("/d/7/x/y") == [15])
        #expect(at("/d/7") == [])
        #expect(candidates.candidates(for: #"{"sd_path":"/d/7/x"}"#) == [])
    }

    @Test func `a directory on any device is found for each device`() throws {
        let candidates = try candidates(1_000) { #""scope":{"path":"/d/\#($0)"}"# }
        #expect(candidates.candidates(for: #"{"alternate_paths":["/d/7/x",{"Content":{}},"/d/7/y"]}"#) == [7])
        #expect(
            candidates.candidates(for: #"{"sd_path":{"Physical":{"device_slug":"mac","path":"/d/7/x"}}}"#) == [7])
    }

    @Test func `a value that every rule asks for does not prevent the search by directory`() throws {
        let candidates = try candidates(1_000) {
            #""where":{"path":"/kind","eq":"image"},"scope":{"path":"/d/\#($0)"}"#
        }
        // Query 0 came first, when both of its keys were equally rare, and was filed under its value.
        #expect(candidates.candidates(for: #"{"kind":"image","sd_path":"/d/7/x"}"#) == [0, 7])
    }

    @Test func `a rule that cannot be narrowed is always a candidate`() throws {
        let rules = [
            #""limit":1"#, #""where":{"path":"/a","gt":1}"#, #""where":{"not":{"path":"/a","eq":1}}"#,
            #""where":{"path":"/a","ne":1}"#, #""where":{"any":[{"path":"/a","eq":1},{"path":"/b","gt":1}]}"#,
            #""where":{"path":"/a","in":[\#((0..<17).map(String.init).joined(separator: ","))]}"#,
        ]
        let candidates = try candidates(rules.count) { rules[$0] }
        #expect(candidates.candidates(for: "{}") == [0, 1, 2, 3, 4, 5])
    }

    @Test func `a rule that nothing fulfils is never a candidate`() throws {
        let rules = [#""where":{"any":[]}"#, #""where":{"path":"/a","in":[]}"#]
        #expect(try candidates(2) { rules[$0] }.isEmpty)
    }

    @Test func `pointers past the limit are candidates for every entity, and can be removed`() throws {
        var candidates = try candidates(100) { #""where":{"path":"/p\#($0)","eq":1}"# }
        #expect(candidates.candidates(for: "{}") == queries(64..<100))
        #expect(candidates.candidates(for: #"{"p3":1}"#) == [3] + queries(64..<100))
        candidates.remove(3, try membership(#""where":{"path":"/p3","eq":1}"#))
        candidates.insert(3, try membership(#""where":{"path":"/p70","eq":1}"#))
        candidates.remove(70, try membership(#""where":{"path":"/p70","eq":1}"#))
        candidates.checkInvariants()
        #expect(candidates.candidates(for: #"{"p70":1}"#) == [3] + queries(64..<70) + queries(71..<100))
        for number in 0..<100 {
            let pointer = number == 3 ? 70 : number
            candidates.remove(QueryID(number), try membership(#""where":{"path":"/p\#(pointer)","eq":1}"#))
        }
        #expect(candidates.isEmpty)
    }

    @Test func `inserting twice equals inserting once, removing an absent query changes nothing`() throws {
        let rule = try membership(#""where":{"path":"/a","eq":1},"scope":{"path":"/d"}"#)
        var candidates = MembershipCandidates()
        candidates.remove(1, rule)
        candidates.insert(1, rule)
        candidates.insert(1, rule)
        #expect(candidates.candidates(for: #"{"a":1,"sd_path":"/d/x"}"#) == [1])
        candidates.remove(1, rule)
        candidates.checkInvariants()
        #expect(candidates.isEmpty)
    }

    private func queries(_ numbers: Range<Int>) -> [QueryID] { numbers.map { QueryID($0) } }
}

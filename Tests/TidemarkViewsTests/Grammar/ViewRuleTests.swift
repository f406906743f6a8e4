import TestTraits
import Testing
import TidemarkModel
import TidemarkViews

@Suite(.pooled) struct ViewRuleTests {
    private func refusal(_ rule: String, limits: ViewLimits = ViewLimits()) -> ViewRuleError? {
        do throws(ViewRuleError) {
            _ = try ViewRule(json: Array(rule.utf8), limits: limits)
            return nil
        } catch {
            return error
        }
    }

    private func rule(_ rule: String) throws -> ViewRule { try ViewRule(json: Array(rule.utf8)) }

    @Test(
        arguments: [
            (#"{"form":"t"}"#, "/form", "from"),
            (#"{"from":{"typ":"t"}}"#, "/from/typ", "type"),
            (#"{"from":"t","joins":[{"type":"u","onn":{"@key":"t/a"}}]}"#, "/joins/0/onn", "on"),
            (#"{"from":"t","joins":[{"type":"u","kind":"inne","on":{"@key":"t/a"}}]}"#, "/joins/0/kind", "inner"),
            (#"{"from":"issue","joins":[{"type":"u","on":{"@key":"isue/a"}}]}"#, "/joins/0/on/@key", "issue"),
            (#"{"from":"issue","joins":[{"type":"u","on":{"@kye":"issue/a"}}]}"#, "/joins/0/on/@kye", "@key"),
            (#"{"from":"issue","where":{"path":"issues/a","eq":1}}"#, "/where/path", "issue"),
            (#"{"from":"issue","where":{"path":"issue/a","eqq":1}}"#, "/where/eqq", "eq"),
            (#"{"from":"issue","where":{"all":[{"path":"issue/a","prefx":"a"}]}}"#, "/where/all/0/prefx", "prefix"),
            (#"{"from":"issue","where":{"path":"issue/a","eq":{"path":"isue/b"}}}"#, "/where/eq/path", "issue"),
            (#"{"from":"issue","select":{"a":"isseu/a"}}"#, "/select/a", "issue"),
            (#"{"from":"t","select":{"title":"t/a"},"order":[{"path":"/titel"}]}"#, "/order/0/path", "title"),
            (#"{"from":"t","order":[{"path":"/a","direction":"decs"}]}"#, "/order/0/direction", "desc"),
            (#"{"from":"t","order":[{"pth":"/a"}]}"#, "/order/0/pth", "path"),
            (#"{"from":"t","group":{"status":"t/a"},"having":{"path":"/statu","eq":1}}"#, "/having/path", "status"),
            (#"{"from":"t","aggregates":{"n":{"cuont":true}}}"#, "/aggregates/n/cuont", "count"),
            (#"{"from":"t","include":{"i":{"type":"u","on":{"/t":"t@key"},"totl":true}}}"#, "/include/i/totl", nil),
            (
                #"{"from":"t","include":{"votes":{"type":"u","on":{"/t":"t@key"},"aggregates":{"n":{"count":true}}}},"#
                    + #""where":{"path":"/vote/n","gt":1}}"#, "/where/path", "votes"
            ),
            (#"{"from":"t","joins":[{"type":"u","on":{"/a":{"parm":"x"}}}]}"#, "/joins/0/on/~1a/parm", "param"),
        ] as [(String, String, String?)])
    func `an unknown name is refused with its place and the nearest name`(
        text: String, place: String, nearest: String?
    ) throws {
        let found = try #require(refusal(text))
        #expect(found.place == place)
        #expect(found.nearest == nearest)
    }

    @Test(
        arguments: [
            (#"{"from":"t","from":"u"}"#, "/from"),
            (#"{"from":"t","joins":[{"type":"u","on":{"/a":"t/a","/a":"t/b"}}]}"#, "/joins/0/on/~1a"),
            (#"{"from":"t","where":{"path":"t/a","eq":{"x":1,"x":2}}}"#, "/where/eq/x"),
            (#"{"from":"t","joins":[{"type":"u"}]}"#, "/joins/0/on"),
            (#"{"from":"t","joins":[{"type":"u","on":{}}]}"#, "/joins/0/on"),
            (#"{"from":"t","joins":[{"type":"u","on":{"/a":[]}}]}"#, "/joins/0/on/~1a"),
            (
                #"{"from":"t","joins":[{"type":"u","on":{"@key":"v/a"}},{"type":"v","on":{"@key":"t/a"}}]}"#,
                "/joins/0/on/@key"
            ),
            (#"{"from":"t","joins":[{"type":"u","on":{"@key":"u/a"}}]}"#, "/joins/0/on/@key"),
            (#"{"from":"t","joins":[{"type":"t","on":{"@key":"t/a"}}]}"#, "/joins/0/type"),
            (#"{"from":"t","joins":[{"type":"u","as":"a b","on":{"@key":"t/a"}}]}"#, "/joins/0/as"),
            (#"{"from":"a.b"}"#, "/from"),
            (#"{"from":"t","joins":[{"type":"u","on":{"@key":"t/a"},"joins":[]}]}"#, "/joins/0/joins"),
            (
                #"{"from":"t","joins":[{"type":"u","kind":"exists","on":{"@key":"t/a"}}],"select":{"a":"u/b"}}"#,
                "/select/a"
            ),
            (#"{"from":"t","select":{"a":"/b"}}"#, "/select/a"),
            (#"{"from":"t","where":{"path":"/b","eq":1}}"#, "/where/path"),
            (#"{"from":"t","where":{"path":"t@key","eq":1}}"#, "/where/path"),
            (#"{"from":"t","having":{"path":"/b","eq":1}}"#, "/having"),
            (#"{"from":"t","group":{"a":"t/a"},"select":{"a":"t/a"}}"#, "/select"),
            (#"{"from":"t","group":{"a":"t/a"},"include":{}}"#, "/include"),
            (#"{"from":"t","group":{"a":"t/a"},"aggregates":{"a":{"count":true}}}"#, "/aggregates/a"),
            (#"{"from":"t","aggregates":{"a":{"count":true,"sum":"t/a"}}}"#, "/aggregates/a"),
            (#"{"from":"t","limit":0}"#, "/limit"), (#"{"from":"t","limit":1.5}"#, "/limit"),
            (#"{"from":"t","offset":-1}"#, "/offset"), (#"{"from":"t","total":1}"#, "/total"),
            (#"{"from":"t","where":{"path":"t/a","exists":{"param":"p"}}}"#, "/where/exists"),
            (#"{"from":"t","where":{"path":"t/a","in":1}}"#, "/where/in"),
            (#"{"from":"t","where":{"path":"t/a","eq":{"param":""}}}"#, "/where/eq/param"),
            (#"{"from":"t","where":{"path":"t/a"}}"#, "/where"),
            (#"{"from":"t","where":{"eq":1}}"#, "/where"), (#"{"from":"t","where":{}}"#, "/where"),
            (#"{"from":"t","include":{"i":{"type":"u"}}}"#, "/include/i/on"),
            (#"{"from":"t","include":{"i":{"type":"t","on":{"@key":"t/a"}}}}"#, "/include/i/type"),
            (
                #"{"from":"t","include":{"i":{"type":"u","on":{"@key":"t/a"},"#
                    + #""aggregates":{"n":{"count":true}},"one":true}}}"#,
                "/include/i/one"
            ),
            (
                #"{"from":"t","include":{"i":{"type":"u","on":{"@key":"t/a"}}},"order":[{"path":"/i/x"}]}"#,
                "/order/0/path"
            ),
            ("{}", "/from"), ("[]", ""), ("nonsense", ""),
        ] as [(String, String)])
    func `a rule that breaks the page is refused at its place`(text: String, place: String) throws {
        #expect(try #require(refusal(text)).place == place)
    }

    @Test func `the limits of a rule are refused above and accepted at the bound`() throws {
        func joins(_ count: Int) -> String {
            let joins = (0..<count).map { #"{"type":"t","as":"j\#($0)","on":{"@key":"t/a"}}"# }
            return #"{"from":"t","joins":[\#(joins.joined(separator: ","))]}"#
        }
        #expect(refusal(joins(7)) == nil)
        #expect(refusal(joins(8))?.place == "/joins/7")
        func checks(_ depth: Int, _ level: Int = 1) -> String {
            let inner = level < depth ? #","joins":[\#(checks(depth, level + 1))]"# : ""
            return #"{"type":"t","as":"c\#(level)","kind":"exists","on":{"@key":"t/a"}\#(inner)}"#
        }
        #expect(refusal(#"{"from":"t","joins":[\#(checks(4))]}"#) == nil)
        #expect(refusal(#"{"from":"t","joins":[\#(checks(5))]}"#)?.place == "/joins/0/joins/0/joins/0/joins/0/joins/0")
        func includes(_ depth: Int, _ level: Int = 1) -> String {
            let inner = level < depth ? #","include":{"i":\#(includes(depth, level + 1))}"# : ""
            return #"{"type":"t","as":"i\#(level)","on":{"@key":"t/a"}\#(inner)}"#
        }
        #expect(refusal(#"{"from":"t","include":{"i":\#(includes(4))}}"#) == nil)
        #expect(
            refusal(#"{"from":"t","include":{"i":\#(includes(5))}}"#)?.place
                == "/include/i/include/i/include/i/include/i/include/i")
        func many(_ count: Int) -> String {
            let includes = (0..<count).map { #""i\#($0)":{"type":"t","as":"x","on":{"@key":"t/a"}}"# }
            return #"{"from":"t","include":{\#(includes.joined(separator: ","))}}"#
        }
        #expect(refusal(many(32)) == nil)
        #expect(refusal(many(33))?.place == "/include/i32")
        func tests(_ count: Int) -> String {
            let tests = (0..<count).map { _ in #"{"path":"t/a","eq":1}"# }
            return #"{"from":"t","where":{"all":[\#(tests.joined(separator: ","))]}}"#
        }
        #expect(refusal(tests(999)) == nil)
        #expect(refusal(tests(1_000))?.place == "/where/all/999")
        var limits = ViewLimits()
        limits.ruleByteCountMax = 13
        #expect(refusal(#"{"from":"t"}  "#, limits: limits)?.place == "")
        #expect(refusal(#"{"from":"t"} "#, limits: limits) == nil)
    }

    @Test func `equal rules have equal canonical forms, whatever the spelling`() throws {
        let left = try rule(#"{ "from": {"type":"t","as":"x"}, "where": {"path":"x/a","eq":{"b":1,"a":2}} }"#)
        let right = try rule(#"{"where":{"eq":{"a":2,"b":1},"path":"x\/\u0061"},"from":{"as":"x","type":"t"}}"#)
        #expect(left == right)
        // The order of selected members shows.
        #expect(
            try rule(#"{"from":"t","select":{"a":"t/a","b":"t/b"}}"#)
                != rule(#"{"from":"t","select":{"b":"t/b","a":"t/a"}}"#))
    }

    @Test func `null counts as absent for optional members`() throws {
        #expect(refusal(#"{"from":"t","where":null,"limit":null,"joins":null,"include":null,"select":null}"#) == nil)
    }

    @Test func `parameters are checked by their uses`() throws {
        let rule = try rule(
            #"{"from":"t","where":{"all":[{"path":"t/a","eq":{"param":"one"}},{"path":"t/b","in":{"param":"many"}},"#
                + #"{"path":"t/c","prefix":{"param":"text"}},{"path":"t/d","eq":{"value":{"param":"one"}}}]}}"#)
        #expect(rule.parameters == ["one", "many", "text"])
        func refusal(_ json: String?) -> String? {
            do throws(ViewRuleError) {
                _ = try ViewBinding(json.map { Array($0.utf8) }, for: rule)
                return nil
            } catch {
                return error.place + (error.nearest.map { " \($0)" } ?? "")
            }
        }
        #expect(refusal(#"{"one":null,"many":[],"text":""}"#) == nil)
        #expect(refusal(nil) == "/one")
        #expect(refusal(#"{"one":1,"many":[]}"#) == "/text")
        #expect(refusal(#"{"one":1,"many":1,"text":""}"#) == "/many")
        #expect(refusal(#"{"one":1,"many":[],"text":1}"#) == "/text")
        #expect(refusal(#"{"one":1,"many":[],"text":"","texd":1}"#) == "/texd text")
    }
}

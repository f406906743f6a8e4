import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel

@Suite(.pooled) struct RedirectRulesTests {
    /// RFC 9110, section 15.4.
    @Test(arguments: [
        (301, "GET", "GET", true), (301, "POST", "GET", false), (302, "POST", "GET", false), (302, "PUT", "PUT", true),
        (303, "PUT", "GET", false), (303, "HEAD", "HEAD", true), (307, "POST", "POST", true),
        (308, "POST", "POST", true),
        (303, "POST", "GET", false),
    ])
    func `a redirect keeps or changes the method`(status: Int, method: String, next: String, keeps: Bool) throws {
        let sent = try request("Content-Type: text/plain", method: method)
        guard case .follow(let request, let keepsBody) = RedirectRules.step(answer(status, "Location: /y"), to: sent)
        else {
            Issue.record("not followed")
            return
        }
        #expect(request.method == ByteString(next) && keepsBody == keeps)
        #expect(request.url == (try url("http://a.test/y")))
        #expect(request.fields.contains("content-type") == (next == method))
    }

    @Test(arguments: [200, 300, 304, 305, 404])
    func `other statuses stay`(status: Int) throws {
        #expect(RedirectRules.step(answer(status, "Location: /y"), to: try request()) == .stay)
        #expect(RedirectRules.step(answer(302), to: try request()) == .stay)
    }

    @Test func `https never becomes http, and other schemes are refused`() throws {
        let secure = try request(to: "https://a.test/")
        #expect(RedirectRules.step(answer(302, "Location: http://a.test/"), to: secure) == .refuse)
        #expect(RedirectRules.step(answer(302, "Location: file:///etc/passwd"), to: secure) == .refuse)
        #expect(RedirectRules.step(answer(302, "Location: https://u:p@a.test/"), to: secure) == .refuse)
    }

    @Test(arguments: [
        ("http://a.test/y", true), ("http://a.test:80/y", true), ("http://b.test/y", false),
        ("https://a.test/y", false),
        ("http://a.test:81/y", false), ("http://A.TEST/", true), ("//a.test.evil.test/", false),
    ])
    func `credentials stay within their origin`(location: String, keeps: Bool) throws {
        let sent = try request("Authorization: secret", "Cookie: c", "X: y")
        guard case .follow(let next, _) = RedirectRules.step(answer(302, "Location: \(location)"), to: sent) else {
            Issue.record("not followed")
            return
        }
        #expect(next.fields.contains("authorization") == keeps && next.fields.contains("cookie") == keeps)
        #expect(next.fields.contains("x"))
        // A hop back does not bring them back.
        if case .follow(let back, _) = RedirectRules.step(answer(302, "Location: http://a.test/"), to: next), !keeps {
            #expect(!back.fields.contains("authorization"))
        }
    }
}

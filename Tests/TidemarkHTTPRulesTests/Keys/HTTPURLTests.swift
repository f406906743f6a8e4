import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel

@Suite(.pooled) struct HTTPURLTests {
    /// RFC 3986, section 6.2.2, and RFC 9110, section 4.2.3.
    @Test(arguments: [
        ("http://a.test", "http://a.test/"), ("HTTP://A.Test:80/", "http://a.test/"),
        ("https://a.test:443/b", "https://a.test/b"), ("https://a.test:80/b", "https://a.test:80/b"),
        ("http://a.test/%7euser", "http://a.test/~user"), ("http://a.test/%c3%a9", "http://a.test/%C3%A9"),
        ("http://a.test/a/./b/../c", "http://a.test/a/c"), ("http://a.test/../../a", "http://a.test/a"),
        ("http://a.test/a/..", "http://a.test/"), ("http://a.test/a/.", "http://a.test/a/"),
        ("http://a.test/A?B=c#frag", "http://a.test/A?B=c"), ("http://a.test?x", "http://a.test/?x"),
        ("http://a.test/%2F", "http://a.test/%2F"), ("http://a.test:/", "http://a.test/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"), ("http://[2001:DB8::1]/", "http://[2001:db8::1]/"),
        ("http://a.test/?a=%41", "http://a.test/?a=A"), ("http://a.test/%", "http://a.test/%"),
        ("http://a.test/%2e%2e/b", "http://a.test/b"), ("http://a.test//b", "http://a.test//b"),
        ("http://a.test/?a=../b", "http://a.test/?a=../b"), ("http://a.test:08080/", "http://a.test:8080/"),
    ])
    func `a URL has one spelling`(text: String, normal: String) throws {
        let parsed = try url(text)
        #expect(parsed.text == ByteString(normal))
        #expect(try HTTPURL(parsed.text) == parsed)
    }

    @Test(arguments: [
        ("ftp://a.test/", HTTPURL.Fault.scheme), ("a.test", .scheme), ("", .scheme), ("file:///etc/passwd", .scheme),
        ("http:/a", .host), ("http://", .host), ("http:///a", .host), ("http://:80/", .host), ("http://[::1", .host),
        ("http://[]/", .host), ("http://a b/", .character), ("http://u:p@a.test/", .userInformation),
        ("http://u@a.test/", .userInformation), ("http://a.test:0/", .port), ("http://a.test:65536/", .port),
        ("http://a.test:x/", .port), ("http://a.test/a b", .character), ("http://a.test/\r\nX: y", .character),
        ("http://a.test/\u{e9}", .character), ("http://a.test/<", .character), ("http://[::1]x/", .host),
        ("http://a.test\\@b.test/", .character), ("http://[::1%25eth0]/", .host),
    ])
    func `a URL that cannot be used says why, without repeating it`(text: String, fault: HTTPURL.Fault) {
        #expect(throws: fault) { try url(text) }
        #expect(!fault.description.contains("a.test"))
    }

    /// RFC 3986, section 5.4, as far as it concerns http.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
        ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
        ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/../y", "http://a/b/c/y"), ("https://b/x", "https://b/x"),
    ])
    func `references are resolved`(reference: String, result: String) throws {
        #expect(try url("http://a/b/c/d;p?q").resolving(ByteString(reference))?.text == ByteString(result))
    }

    @Test(arguments: ["mailto:a@b", "javascript:x", "ftp://a/", "http://u:p@a/", "http://"])
    func `references that lead nowhere are refused`(reference: String) throws {
        #expect(try url("http://a/b").resolving(ByteString(reference)) == nil)
    }

    @Test func `the longest URL is limited`() {
        #expect(throws: HTTPURL.Fault.tooLong) {
            try url("http://a.test/" + String(repeating: "a", count: HTTPURL.byteCountMax))
        }
    }
}

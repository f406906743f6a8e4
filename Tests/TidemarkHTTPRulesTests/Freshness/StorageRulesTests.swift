import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel

@Suite(.pooled) struct StorageRulesTests {
    /// RFC 9110, section 15.1.
    @Test(arguments: 100..<600)
    func `a status without freshness is stored when its definition says so`(status: Int) throws {
        let listed: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
        #expect(StorageRules.mayStore(answer(status), to: try request(), isKeyed: false) == listed.contains(status))
        // Parts are stored only when they say where they belong; 304 and interim answers never.
        let isNever = status < 200 || status == 304 || status == 206
        let explicit = answer(status, "Cache-Control: max-age=60")
        #expect(StorageRules.mayStore(explicit, to: try request(), isKeyed: false) == !isNever)
        #expect(
            StorageRules.mayStoreUnderOptions(explicit, to: try request(), isKeyed: false)
                == ((200..<300).contains(status) && !isNever))
    }

    @Test(arguments: [
        ("Cache-Control: no-store", false), ("Cache-Control: no-store, max-age=60", false),
        ("Cache-Control: private", true),
        ("Cache-Control: private=\"set-cookie\"", true), ("Cache-Control: no-cache", true),
        ("Cache-Control: max-age=0", true), ("Vary: *", false), ("Vary: a, *", false), ("Vary: Accept", true),
        ("Set-Cookie: a=b", true), ("Expires: 0", true), ("Pragma: no-cache", true),
        ("Content-Range: bytes 0-1/2", true),
    ])
    func `an answer is stored unless it forbids that`(line: String, isStored: Bool) throws {
        #expect(StorageRules.mayStore(answer(200, line), to: try request(), isKeyed: false) == isStored)
        #expect(StorageRules.mayStoreUnderOptions(answer(200, line), to: try request(), isKeyed: false) == isStored)
    }

    /// RFC 9111, section 5.2.2.3: `no-store` beside `must-understand` is for caches that do not know the status.
    @Test(arguments: [
        (200, "no-store, must-understand", true, false), (200, "must-understand, max-age=60", true, true),
        (200, "no-store, must-understand=1", false, false), (200, "no-store, must-understand =", false, false),
        (599, "must-understand, max-age=60", false, false), (599, "max-age=60", true, false),
        (299, "no-store, must-understand, max-age=60", false, false), (299, "max-age=60", true, true),
        (404, "no-store, must-understand", true, false), (304, "must-understand, max-age=60", false, false),
    ])
    func `must-understand stores what is understood`(status: Int, text: String, isStored: Bool, underOptions: Bool)
        throws
    {
        let came = answer(status, "Cache-Control: \(text)")
        #expect(StorageRules.mayStore(came, to: try request(), isKeyed: false) == isStored)
        #expect(StorageRules.mayStoreUnderOptions(came, to: try request(), isKeyed: false) == underOptions)
        #expect(!StorageRules.mayStore(came, to: try request("Cache-Control: no-store"), isKeyed: false))
    }

    @Test func `a request may forbid storing, and credentials do not`() throws {
        #expect(!StorageRules.mayStore(answer(), to: try request("Cache-Control: no-store"), isKeyed: false))
        #expect(StorageRules.mayStore(answer(), to: try request("Authorization: x"), isKeyed: false))
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get"])
    func `other methods are stored only under a key`(method: String) throws {
        let explicit = answer(200, "Cache-Control: max-age=60")
        #expect(!StorageRules.mayStore(explicit, to: try request(method: method), isKeyed: false))
        #expect(StorageRules.mayStore(explicit, to: try request(method: method), isKeyed: true))
    }

    @Test(arguments: [
        ("Content-Range: bytes 0-4/10", true), ("Content-Range: bytes 0-4/*", false), ("Content-Range: x", false),
        ("X: y", false), ("Content-Type: multipart/byteranges; boundary=x", false),
    ])
    func `a part is stored when it says where it belongs`(line: String, isStored: Bool) throws {
        #expect(
            StorageRules.mayStore(answer(206, line), to: try request("Range: bytes=0-4"), isKeyed: false) == isStored)
    }

    /// RFC 9111, section 4.4.
    @Test(arguments: [
        ("POST", 200, true), ("PUT", 204, true), ("DELETE", 302, true), ("PATCH", 201, true), ("POST", 404, false),
        ("POST", 500, false), ("GET", 200, false), ("HEAD", 200, false), ("OPTIONS", 200, false), ("FOO", 200, true),
    ])
    func `unsafe methods that succeed invalidate`(method: String, status: Int, invalidates: Bool) throws {
        let sent = try request(method: method)
        #expect(StorageRules.invalidates(answer(status), to: sent) == invalidates)
        #expect(StorageRules.invalidated(by: answer(status), to: sent) == (invalidates ? [sent.url] : []))
    }

    @Test func `places of the same origin are invalidated too`() throws {
        let sent = try request(method: "POST", to: "http://a.test/list")
        let response = answer(201, "Location: /new", "Content-Location: http://a.test:80/other")
        #expect(
            StorageRules.invalidated(by: response, to: sent)
                == [try url("http://a.test/list"), try url("http://a.test/new"), try url("http://a.test/other")])
        let elsewhere = answer(201, "Location: https://a.test/new", "Content-Location: http://b.test/")
        #expect(StorageRules.invalidated(by: elsewhere, to: sent) == [sent.url])
    }

    /// RFC 9111, section 3.2.
    @Test func `a confirmation replaces fields, and leaves those of the stored bytes`() {
        let old = stored(
            200,
            ["ETag: \"a\"", "X-A: 1", "X-A: 2", "Content-Length: 10", "Content-Type: text/plain", "Age: 500", "X-B: 3"])
        let new = ResponseHead(
            status: 304,
            fields: fields([
                "etag: W/\"a\"", "x-a: 9", "x-a: 8", "Content-Length: 0", "Content-Encoding: gzip", "Connection: x-c",
                "X-C: 7", "Cache-Control: max-age=5", "Transfer-Encoding: chunked", "Set-Cookie: s=1",
            ]))
        let confirmed = old.confirmed(by: new, requestedAt: came + 900, answeredAt: came + 1_000)
        #expect(
            confirmed.head.fields
                == fields([
                    "etag: W/\"a\"", "x-a: 9", "x-a: 8", "Content-Length: 10", "Content-Type: text/plain", "X-B: 3",
                    "Cache-Control: max-age=5",
                ]))
        #expect(confirmed.head.status == 200 && confirmed.answeredAt == came + 1_000)
        #expect(Freshness(confirmed, at: came + 1_000).age == 0)
    }

    @Test func `fields of one connection, and cookies, are not stored`() {
        let kept = StoredHead.storable(
            fields([
                "A: 1", "Connection: close, B", "b: 2", "Set-Cookie: x", "Transfer-Encoding: chunked", "C: 3", "C: 4",
            ]))
        #expect(kept == fields(["A: 1", "C: 3", "C: 4"]))
    }

    /// RFC 9111, section 4.3.5.
    @Test(arguments: [
        (["ETag: \"a\""], true), (["ETag: \"b\""], false), (["Content-Length: 10"], true),
        (["Content-Length: 11"], false), ([], true), (["Last-Modified: x"], false),
    ])
    func `an answer to HEAD confirms or outdates the stored one`(lines: [String], agrees: Bool) {
        let old = stored(200, ["ETag: \"a\""])
        #expect(old.agrees(withHead: ResponseHead(status: 200, fields: fields(lines))) == agrees)
    }
}

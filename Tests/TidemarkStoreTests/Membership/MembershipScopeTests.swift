import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkStore

@Suite(.pooled) struct MembershipScopeTests {
    private enum Depth { case outside, direct, deep }

    /// Returns the depth of a resource in a directory, by a recursive scope and one that is not; the reference must
    /// agree.
    private func depth(_ directory: String, _ resource: String, pointer: String = "") throws -> Depth {
        func holds(_ isRecursive: Bool) throws -> Bool {
            let scope = #"{"path":\#(directory),"recursive":\#(isRecursive)\#(pointer)}"#
            let rule = try MembershipFixture(#"{"resource_type":"file","scope":\#(scope)}"#)
            let wanted = rule.reference.matches(try ReferenceJSONParser.parse(Array(resource.utf8)))
            #expect(rule.matches(resource) == wanted, "\(directory), \(resource)")
            return rule.matches(resource)
        }
        guard try holds(true) else {
            #expect(try !holds(false))
            return .outside
        }
        return try holds(false) ? .direct : .deep
    }

    private func physical(_ slug: String, _ path: String) -> String {
        #"{"Physical":{"device_slug":"\#(slug)","path":"\#(path)"}}"#
    }

    @Test(arguments: [
        ("/Photos", "/Photos/a.jpg"), ("/Photos/", "//Photos/./a.jpg/"), ("Photos", "/Photos/a.jpg"), ("/", "/a"),
        ("", "a"), (".", "./a"), (#"C:\\Users"#, #"C:\\Users\\x"#), (#"C:\\Users"#, "C:/Users/x"),
        (#"\\\\server\\share"#, #"\\\\server\\share\\x"#), ("/a/..", "/a/../b"), (#"/a\\b"#, #"/a\\b/c"#),
        ("/é", #"/\u00e9/x"#),
    ])
    func `a directory contains its direct entries`(directory: String, path: String) throws {
        #expect(try depth(#""\#(directory)""#, #"{"sd_path":"\#(path)"}"#) == .direct)
        #expect(try depth(physical("mac", directory), #"{"sd_path":\#(physical("mac", path))}"#) == .direct)
    }

    @Test(arguments: [
        ("/Photos", "/Photos/2024/a.jpg"), ("/", "/a/b"), ("/Photos", "/Photos/./2024//a.jpg"), ("/a", "/a/../b"),
        ("C:/", #"C:\\Users\\x"#),
    ])
    func `deeper entries need a recursive scope`(directory: String, path: String) throws {
        #expect(try depth(#""\#(directory)""#, #"{"sd_path":"\#(path)"}"#) == .deep)
    }

    @Test(arguments: [
        ("/Photos", "/Photos"), ("/Photos", "/Photos/"), ("/Photos", "/Photos2/a.jpg"), ("/Photos", "/photos/a.jpg"),
        ("/Photos", "/a/Photos/b"), ("/Photos/2024", "/Photos/a"), ("/", "/"), ("/", ""), ("/a", #"/a\\b"#),
        ("/b", "/a/../b/c"), (#"C:\\Users"#, #"c:\\Users\\x"#), ("/é", #"/e\u0301/x"#),
    ])
    func `a directory contains neither itself nor its neighbours`(directory: String, path: String) throws {
        #expect(try depth(#""\#(directory)""#, #"{"sd_path":"\#(path)"}"#) == .outside)
    }

    @Test func `a scope with a device is for that device, one without for every device`() throws {
        let cloud = #"{"Cloud":{"service":"S3","identifier":"b","path":"/p"}}"#
        let inCloud = #"{"sd_path":{"Cloud":{"path":"/p/x","identifier":"b","service":"S3"}}}"#
        let onMac = #"{"sd_path":\#(physical("mac", "/p/x"))}"#
        let plain = #"{"sd_path":"/p/x"}"#
        for resource in [onMac, plain, inCloud] { #expect(try depth(#""/p""#, resource) == .direct) }
        #expect(
            try [onMac, plain, inCloud].map { try depth(physical("mac", "/p"), $0) } == [.direct, .outside, .outside])
        #expect(
            try [onMac, plain, inCloud].map { try depth(physical("nas", "/p"), $0) } == [.outside, .outside, .outside])
        #expect(try [onMac, plain, inCloud].map { try depth(cloud, $0) } == [.outside, .outside, .direct])
        let other = #"{"sd_path":{"Cloud":{"service":"S3","identifier":"c","path":"/p/x"}}}"#
        #expect(try depth(cloud, other) == .outside)
    }

    @Test(arguments: [
        #"{"Content":{"content_id":"5b9e7618"}}"#, #"{"Sidecar":{"path":"/p/x"}}"#, #"{"Physical":{"path":"/p/x"}}"#,
        #"{"Physical":"/p/x"}"#, #"{"Physical":{"device_slug":"mac","path":7}}"#, "null", "7", "[\"/p/x\"]", "{}",
        #"{"Cloud":{"service":"S3","path":"/p/x"}}"#,
        #"{"Physical":{"device_slug":"mac","path":"/p/x"},"Content":{}}"#,
    ])
    func `a value that is not a path is in no scope`(value: String) throws {
        #expect(try depth(#""/p""#, #"{"sd_path":\#(value)}"#) == .outside)
        #expect(try depth(#""/p""#, #"{"sd_path":\#(value),"alternate_paths":[7,\#(value),"/p/y"]}"#) == .direct)
    }

    @Test func `one matching alternate path is enough`() throws {
        let resource = #"{"sd_path":{"Content":{}},"alternate_paths":["/q/x",\#(physical("mac", "/p/a/x"))]}"#
        #expect(try depth(#""/p""#, resource) == .deep)
        #expect(try depth(#""/q""#, resource) == .direct)
        #expect(try depth(#""/p""#, #"{"alternate_paths":"/p/x"}"#) == .outside)
        #expect(try depth(#""/p""#, #"{"alternate_paths":{"0":"/p/x"}}"#) == .outside)
    }

    @Test func `a scope can name another member for the path`() throws {
        let pointer = #","pointer":"/at/0""#
        #expect(try depth(#""/p""#, #"{"at":["/p/x"],"sd_path":"/q/x"}"#, pointer: pointer) == .direct)
        #expect(try depth(#""/q""#, #"{"at":["/p/x"],"sd_path":"/q/x"}"#, pointer: pointer) == .outside)
        #expect(try depth(#""/q""#, #"{"at":[],"alternate_paths":["/q/x"]}"#, pointer: pointer) == .direct)
    }

    @Test func `the last of repeated members counts, tags included`() throws {
        let twice =
            #"{"Physical":{"device_slug":"mac","path":"/q/x"},"\u0050hysical":\#(#"{"device_slug":"mac","path":"/p/x"}"#)}"#
        #expect(try depth(#""/p""#, #"{"sd_path":"/q/y","sd_path":\#(twice)}"#) == .direct)
    }

    @Test func `where and scope both have to hold`() throws {
        let rule = try MembershipFixture(
            #"{"resource_type":"file","where":{"path":"/kind","eq":"image"},"scope":{"path":"/p"}}"#)
        #expect(rule.matches(#"{"kind":"image","sd_path":"/p/x"}"#))
        #expect(!rule.matches(#"{"kind":"video","sd_path":"/p/x"}"#))
        #expect(!rule.matches(#"{"kind":"image","sd_path":"/q/x"}"#))
    }
}

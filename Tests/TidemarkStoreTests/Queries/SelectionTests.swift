import TidemarkJSON
import TestTraits
import Testing

@testable import TidemarkStore

/// Selections of a resource's members.
@Suite(.pooled) struct SelectionTests {
    private func selection(_ resource: String, _ fields: String...) -> String {
        let bytes = Array(resource.utf8).withUnsafeBytes {
            JSONObject.selection(of: $0, fields: Set(fields.map { Array($0.utf8) }))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"x":1,"y":2,"x":3}"#, #"{"x":3}"#), (#"{"x":1,"x":2,"x":3,"y":4}"#, #"{"x":3}"#),
        (#"{"y":2,"\u0078":1,"z":5,"x":{"a":[1]}}"#, #"{"\u0078":{"a":[1]}}"#), (#"{"y":1,"y":2}"#, "{}"),
        (#"{"x":1.10}"#, #"{"x":1.10}"#), ("{}", "{}"),
    ])
    func `the last of the repeated members is selected, once, and nothing in between`(resource: String, wanted: String)
    {
        #expect(selection(resource, "x", "none") == wanted)
    }

    @Test func `repeated members are selected once, in the order of their first places`() {
        let many = (0..<40).map { #""m\#($0)":\#($0)"# }
        let resource = "{" + (many + [#""m3":"last""#, #""m1":"end""#]).joined(separator: ",") + "}"
        #expect(selection(resource, "m1", "m3", "m39") == #"{"m1":"end","m3":"last","m39":39}"#)
    }
}

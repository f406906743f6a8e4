import TidemarkTesting

/// Lines for load tests.
enum LoadLines {
    static func change(_ sequence: Int, id: String = "k", library: String = "a", rest: String = "") -> String {
        EventLine.change(
            #"{"id":"\#(id)","n":\#(sequence)\#(rest)}"#, library: library, sequence: Int64(sequence))
    }

    /// Returns one event with a number of members, none of them new after the first 1,000.
    static func batch(_ sequence: Int, members: Int) -> [UInt8] {
        var bytes = Array(
            (#"{"library_id":"a","sequence":\#(sequence),"event":{"ResourceBatchChanged":{"resource_type":"file","#
                + #""resources":["#).utf8)
        for member in 0..<members {
            if member > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += Array(#"{"id":"m\#(member)","n":\#(sequence)}"#.utf8)
        }
        return bytes + Array("]}}}\n".utf8)
    }

    /// Returns a line that cannot be used, and the reason.
    static func rubbish(_ random: inout SeededGenerator) -> (bytes: [UInt8], reason: String) {
        func event(_ type: String, _ resource: String, head: String = "") -> [UInt8] {
            Array(
                (#"{"library_id":"a",\#(head)"event":{"ResourceChanged":{"resource_type":"\#(type)","#
                    + #""resource":\#(resource)}}}"#).utf8)
        }
        switch random.below(9) {
        case 0: return (Array("<html>\(random.below(1_000))</html>".utf8), "not_json")
        case 1: return (Array(#"{"library_id":"a","event":{"#.utf8), "not_json")
        case 2: return (Array("\"".utf8) + [0xFF, 0xC0, 0x80] + Array("\"".utf8), "invalid_utf8")
        case 3:
            let depth = 65 + random.below(200)
            let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return (event("file", #"{"id":"x","d":\#(value)}"#), "too_deep")
        case 4: return (event("file", #"{"name":"\#(random.below(1_000))"}"#), "missing_id")
        case 5: return (event("no type", #"{"id":"x"}"#), "bad_type")
        case 6: return (event("file", #"{"id":"x"}"#, head: #""sequence":-\#(1 + random.below(9)),"#), "bad_sequence")
        case 7: return (Array(#"{"a":1,"b":\#(random.below(1_000))}"#.utf8), "bad_shape")
        default:
            return (event("file", #"{"id":"\#(String(repeating: "i", count: 1_025))"}"#), "id_too_long")
        }
    }
}

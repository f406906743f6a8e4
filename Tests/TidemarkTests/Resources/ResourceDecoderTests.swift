import Foundation
import TestTraits
import Testing
import Tidemark

/// The promises of the decoder beyond those of Foundation's, and the differences between the two.
@Suite(.pooled) struct ResourceDecoderTests {
    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try ResourceCoder().value(type, Array(text.utf8))
    }

    private func fails<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Bool {
        do {
            _ = try ResourceCoder().value(type, bytes)
            return false
        } catch DecodingError.dataCorrupted(let context) {
            return context.codingPath.isEmpty
        } catch {
            return false
        }
    }

    struct Point: Decodable, Equatable {
        var x: Int
        var y: Int?
    }

    @Test func `the last of repeated members counts, however it is spelled`() throws {
        #expect(try decode(Point.self, #"{"x":"no","y":1,"x":2,"\u0078":3,"y":null}"#) == Point(x: 3, y: nil))
        let many = (0..<100).map { #""k\#($0 % 60)":\#($0)"# }.joined(separator: ",")
        let all = try decode([String: Int].self, "{\(many)}")
        #expect(all == Dictionary(uniqueKeysWithValues: (0..<60).map { ("k\($0)", $0 < 40 ? $0 + 60 : $0) }))
        #expect(try decode(Point.self, "{\(many),\"x\":1,\"x\":2}") == Point(x: 2, y: nil))
    }

    @Test func `members are found in any order among few and many`() throws {
        struct Reversed: Decodable, Equatable {
            struct Name: CodingKey {
                var stringValue: String
                var intValue: Int? { nil }

                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }

            var values: [Int] = []
            var hasOther: Bool

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Name.self)
                for key in container.allKeys.reversed() { values.append(try container.decode(Int.self, forKey: key)) }
                hasOther = container.contains(Name(stringValue: "k"))
            }
        }
        for count in [0, 1, 5, 31, 32, 33, 34, 500] {
            let members = (0..<count).map { #" "k\#($0)" : \#($0) "# }.joined(separator: ",")
            let reversed = try decode(Reversed.self, "{\(members)}")
            #expect(reversed.values == (0..<count).reversed())
            #expect(!reversed.hasOther)
        }
    }

    @Test func `names are compared as bytes`() throws {
        #expect(try decode([String: Int].self, "{\"e\u{301}\":1}").count == 1)
        struct Accent: Decodable {
            enum CodingKeys: String, CodingKey { case name = "\u{E9}" }
            var name: Int?
        }
        #expect(try decode(Accent.self, "{\"e\u{301}\":1}").name == nil)
        #expect(try decode(Accent.self, #"{"\u00e9":1}"#).name == 1)
    }

    @Test func `half a surrogate pair is not text, and only a read of its field fails`() throws {
        for text in [#"["\ud800"]"#, #"["\udc00x"]"#, #"["\ud800\u0041"]"#, #"["\ud800\n"]"#] {
            #expect(fails([String].self, Array(text.utf8)), "\(text)")
        }
        #expect(try decode([String].self, #"["\ud83d\uDE00"]"#) == ["\u{1F600}"])
        #expect(try decode(Point.self, #"{"a":"\ud800","\udfff":1,"x":1}"#) == Point(x: 1))
        #expect(try decode([String: Int].self, #"{"\ud800":1}"#) == ["\u{FFFD}": 1])
    }

    @Test func `integers of every width are exact, however they are written`() throws {
        #expect(try decode([UInt64].self, "[18446744073709551615,18446744073709551615.0]") == [.max, .max])
        #expect(try decode([Int64].self, "[-9223372036854775808,-92233720368547758080e-1]") == [.min, .min])
        #expect(
            try decode([Int].self, "[9007199254740993.0,90071992547409.93e2,0e99999999999,-0.0,1e18]")
                == [9_007_199_254_740_993, 9_007_199_254_740_993, 0, 0, 1_000_000_000_000_000_000])
        #expect(
            try decode([Int128].self, "[170141183460469231731687303715884105727]") == [.max])
        #expect(try decode(Int128.self, "-170141183460469231731687303715884105728") == .min)
        #expect(try decode(UInt128.self, "340282366920938463463374607431768211455") == .max)
        for text in ["9223372036854775808", "1e19", "1.5", "1e-1", "1.0000000000000001", "1e99999999999"] {
            #expect(fails(Int64.self, Array(text.utf8)), "\(text)")
        }
        #expect(fails(UInt8.self, Array("256".utf8)) && fails(UInt8.self, Array("-1".utf8)))
        #expect(fails(Int8.self, Array("-129".utf8)) && fails(UInt64.self, Array("18446744073709551616".utf8)))
    }

    @Test func `doubles are the nearest ones`() throws {
        for text in [
            "0.1", "123456789012345.6", "0.30000000000000004", "9007199254740993", "-0.0", "1e23", "0.000000000000001",
            "5e-324", "1.7976931348623157e308", "2.2250738585072011e-308", "9007199254740992.5", "0e5",
        ] {
            #expect(try decode(Double.self, text).bitPattern == Double(text)?.bitPattern, "\(text)")
            if let float = Float(text), float.isFinite, float != 0 {
                #expect(try decode(Float.self, text) == float, "\(text)")
            }
        }
        #expect(fails(Double.self, Array("1e400".utf8)) && fails(Double.self, Array("1e-400".utf8)))
    }

    @Test func `bytes that are not JSON are refused as a whole`() {
        for text in [
            "", " ", "{", "}", "[1,]", "[1 2]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "01", "-", "1.", ".5", "1e", "+1",
            "tru", "nullx", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\u123", "\"a\nb\"", "1 1", "[1]]", "\u{0}", "'a'",
            "NaN",
        ] {
            #expect(fails(JSONValue.self, Array(text.utf8)), "\(text)")
        }
        #expect(fails(String.self, [UInt8(ascii: "\""), 0xFF, UInt8(ascii: "\"")]))
        #expect(fails(JSONValue.self, [UInt8(ascii: "\""), 0xC3, UInt8(ascii: "\"")]))
    }

    @Test func `the decoder's depth limit is that of a stored entity`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(try ResourceCoder().value(JSONValue.self, nested(256)).bytes == nested(256))
        #expect(fails(JSONValue.self, nested(257)))
        #expect(fails(JSONValue.self, nested(100_000)))
    }

    @Test func `values of any kind are exact in wrappers, elements and super decoders`() throws {
        struct Wrapper: Decodable {
            var value: JSONValue

            init(from decoder: any Decoder) throws { value = try JSONValue(from: decoder) }
        }
        struct Holder: Decodable {
            var a: Wrapper
            var b: [JSONValue?]
            var c: JSONValue
            var missing: JSONValue?
        }
        let text = #"{"a":{"x": [1.10, "\u0061"]},"b":[1e5,null,-0.0],"c":null}"#
        let holder = try decode(Holder.self, text)
        #expect(holder.a.value.text == #"{"x":[1.10,"a"]}"#)
        #expect(holder.b.map { $0?.text } == ["1e5", nil, "-0.0"])
        #expect(holder.c == .null)
        #expect(holder.missing == nil)
    }

    @Test func `a decoder that is kept still reads`() throws {
        struct Kept: Decodable {
            var container: any UnkeyedDecodingContainer

            init(from decoder: any Decoder) throws { container = try decoder.unkeyedContainer() }
        }
        var kept = try decode([Kept].self, #"[["a","b"],["c"]]"#)
        #expect(try kept[0].container.decode(String.self) == "a")
        #expect(try kept[1].container.decode(String.self) == "c")
        #expect(try kept[0].container.decode(String.self) == "b")
        #expect(throws: DecodingError.self) { try kept[0].container.decode(String.self) }
        #expect(kept[0].container.currentIndex == 2)
        #expect(kept[0].container.codingPath.map(\.intValue) == [0])
    }
}

import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel

@Suite(.pooled) struct ResourceCodingTests {
    struct Camera: Codable, Equatable {
        var maker: String
        var lenses: [Lens]
    }

    struct Lens: Codable, Equatable {
        var millimetres: Int
    }

    struct Photo: Resource, Equatable {
        static let resourceType = "photo"
        var id: String
        var size: UInt64
        var camera: Camera?
        var extra: JSONValue?
    }

    struct Dated: Resource, Equatable {
        static let resourceType = "dated"
        var id: UUID
        var taken: Date
        var link: URL
        var bytes: Data
    }

    struct Loose: Resource, Equatable {
        static let resourceType = "loose"

        enum CodingKeys: Int, CodingKey {
            case id = 7
            case parts = 0
            case named = 1
        }

        var id: Int
        var parts: [JSONValue]
        var named: [String: JSONValue]
    }

    private func decode<R: Resource>(_ type: R.Type, _ text: String) throws -> R {
        try ResourceCoder().decode(type, Array(text.utf8))
    }

    private func encode(_ value: some Encodable) throws -> String {
        String(decoding: try ResourceCoder().encode(value), as: UTF8.self)
    }

    @Test func `a resource becomes its Swift type and JSON with sorted names again`() throws {
        let text =
            #"{"size":18446744073709551615,"unknown":1,"id":"1","camera":{"maker":"a/b","lenses":[{"millimetres":50}]}}"#
        let photo = try decode(Photo.self, text)
        let camera = Camera(maker: "a/b", lenses: [Lens(millimetres: 50)])
        #expect(photo == Photo(id: "1", size: .max, camera: camera, extra: nil))
        #expect(
            try encode(photo)
                == #"{"camera":{"lenses":[{"millimetres":50}],"maker":"a/b"},"id":"1","size":18446744073709551615}"#)
    }

    @Test func `values of any kind inside a resource keep every number as it came`() throws {
        let text = #"{"extra":{"z":1.10,"a":[1e5,123456789012345678901234567890]},"id":"1","size":1}"#
        let photo = try decode(Photo.self, text)
        #expect(photo.extra?.text == #"{"z":1.10,"a":[1e5,123456789012345678901234567890]}"#)
        #expect(try encode(photo) == text)
        let loose = try decode(Loose.self, #"{"id":3,"named":{"x/y":2.0,"0":3.0},"parts":[1.0,[2.50],null]}"#)
        #expect(loose.parts.map(\.text) == ["1.0", "[2.50]", "null"])
        #expect(
            loose.named == [
                "x/y": .number(try #require(JSONNumber("2.0"))), "0": .number(try #require(JSONNumber("3.0"))),
            ])
        #expect(try encode(loose) == #"{"id":3,"named":{"0":3.0,"x/y":2.0},"parts":[1.0,[2.50],null]}"#)
        #expect(try encode([try JSONValue(parsing: "1.0".utf8)]) == "[1.0]")
    }

    @Test func `dates are ISO 8601, data is base64, addresses are strings`() throws {
        let text =
            #"{"bytes":"AQI=","id":"6F1C9A4E-0000-4000-8000-0123456789AB","link":"https://a.b/c","taken":"2024-05-06T07:08:09Z"}"#
        let dated = try decode(Dated.self, text)
        #expect(dated.taken == Date(timeIntervalSince1970: 1_714_979_289))
        #expect(try encode(dated) == text)
        let fraction = try decode(Dated.self, text.replacingOccurrences(of: "09Z", with: "09.250Z"))
        #expect(fraction.taken == Date(timeIntervalSince1970: 1_714_979_289.25))
        #expect(try encode(fraction).contains("2024-05-06T07:08:09.250Z"))
        let zone = try decode(Dated.self, text.replacingOccurrences(of: "09Z", with: "09.250000+02:00"))
        #expect(zone.taken == Date(timeIntervalSince1970: 1_714_972_089.25))
    }

    @Test func `an error names type, id, field and the stored value`() {
        func error(_ text: String) -> ResourceDecodingError? {
            do throws(ResourceDecodingError) {
                _ = try ResourceCoder().decode(Photo.self, Array(text.utf8))
                return nil
            } catch {
                return error
            }
        }
        let wrong = error(
            #"{"id":"1","size":1,"camera":{"maker":"m","lenses":[{"millimetres":50},{"millimetres":"wide"}]}}"#)
        #expect(wrong?.resourceType == "photo")
        #expect(wrong?.id == "1")
        #expect(wrong?.field.description == "/camera/lenses/1/millimetres")
        #expect(wrong?.value == "wide")
        #expect(wrong?.description.hasPrefix(#"photo:1: /camera/lenses/1/millimetres is "wide": Int"#) == true)

        let missing = error(#"{"uuid":7,"id":null,"size":1}"#)
        #expect(missing?.id == nil)
        #expect(missing?.field.description == "/id")
        #expect(missing?.value == .some(.null))
        #expect(error(#"{"id":"2"}"#)?.field.description == "/size")
        #expect(error(#"{"id":"2"}"#)?.value == nil)
        #expect(error(#"{"id":"2"}"#)?.description == "photo:2: /size is missing: the type requires it")
        #expect(error("[]")?.field.description == "")
        #expect(error("{")?.description.hasPrefix("photo:?: the resource is null") == true)
        let long = error(#"{"id":"3","size":"\#(String(repeating: "x", count: 5_000))"}"#)
        #expect((long?.description.utf8.count ?? 0) < 400)
    }

    @Test func `a value without a JSON form is refused`() {
        let error = #expect(throws: CacheError.self) { try encode([Double.nan]) }
        #expect(error?.code == .invalidParams)
    }

    @Test func `ids of every kind convert to their text`() throws {
        struct Wrapped: ResourceID, RawRepresentable { var rawValue: String }
        #expect("a:b".keyText == "a:b")
        #expect((-5).keyText == "-5")
        #expect(UInt64.max.keyText == "18446744073709551615")
        #expect(Wrapped(rawValue: "w").keyText == "w")
        let uuid = try #require(UUID(uuidString: "6F1C9A4E-0000-4000-8000-0123456789AB"))
        #expect(
            EntityKey(type: "photo", id: ByteString(uuid.keyText)).id == "6f1c9a4e-0000-4000-8000-0123456789ab")
    }

    @Test func `a registry decodes registered types and returns others as JSON`() throws {
        var registry = ResourceRegistry([Photo.self])
        registry.register(Loose.self)
        registry.register(Loose.self)
        #expect(registry.type(named: "photo") == Photo.self)
        #expect(registry.type(named: "album") == nil)
        guard case .known(let known) = try registry.decode(type: "photo", Array(#"{"id":"1","size":2}"#.utf8)) else {
            Issue.record("the type is registered")
            return
        }
        #expect(known as? Photo == Photo(id: "1", size: 2))
        guard case .unknown("album", let value) = try registry.decode(type: "album", Array(#"{"id":9}"#.utf8)) else {
            Issue.record("the type is not registered")
            return
        }
        #expect(value == ["id": 9])
        #expect(throws: ResourceDecodingError.self) { try registry.decode(type: "photo", Array("{}".utf8)) }
        #expect(throws: ResourceDecodingError.self) { try registry.decode(type: "album", Array("{".utf8)) }
    }
}

// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkJSON
import TidemarkModel

/// The example in Sources/TidemarkJSON/Decoding/ResourceConventions.swift.
func exampleTidemarkJSON1(cache: SyncCache) async throws {
    struct Shot: Resource {
        static let resourceType = "shot"
        static let conventions = ResourceConventions(names: .snakeCase, dates: .secondsSince1970)
        var id: String
        var cameraModel: String?  // "camera_model":"M6"
    }
}

/// The example in Sources/TidemarkJSON/Scan/JSONSyntaxError.swift.
func exampleTidemarkJSON2(cache: SyncCache) async throws {
    do throws(JSONSyntaxError) {
        _ = try JSONValue(parsing: Array(#"{"size":01}"#.utf8))
    } catch {
        print(error.byteOffset, error.message)
    }
}

/// The example in Sources/TidemarkJSON/Value/JSONNumber.swift.
func exampleTidemarkJSON3(cache: SyncCache) async throws {
    let price = JSONNumber("1.10")
    print(price?.text ?? "", price?.double ?? 0)  // 1.10 1.1
    print(JSONNumber("01") == nil)  // true: not JSON
}

/// The example in Sources/TidemarkJSON/Value/JSONPointer.swift.
func exampleTidemarkJSON4(cache: SyncCache) async throws {
    let photo = try JSONValue(parsing: Array(#"{"camera":{"lenses":["50 mm"]}}"#.utf8))
    if let pointer = JSONPointer("/camera/lenses/0") { print(photo[pointer: pointer]?.string ?? "") }  // 50 mm
}

/// The example in Sources/TidemarkJSON/Value/JSONValue.swift.
func exampleTidemarkJSON5(cache: SyncCache) async throws {
    let photo = try JSONValue(parsing: Array(#"{"id":"1","size":18446744073709551615,"tags":["sea"]}"#.utf8))
    print(photo["size"]?.uint64 ?? 0)  // 18446744073709551615
    print(photo["tags"]?[0]?.string ?? "")  // sea
    print(photo.text)  // {"id":"1","size":18446744073709551615,"tags":["sea"]}
}

// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkGraphQLTypes
import TidemarkModel

/// The example in Sources/TidemarkGraphQLTypes/GraphQLOperation.swift.
func exampleTidemarkGraphQLTypes1(cache: SyncCache) async throws {
    struct HeroName: GraphQLOperation {
        struct Hero: Codable, Sendable { var name: String }
        struct Data: Codable, Sendable { var hero: Hero? }
        let document = "{ hero { name } }"
    }
    let json = #"{"hero":{"name":"Artoo"}}"#
    print(try HeroName.data(from: Array(json.utf8), failures: []).hero?.name ?? "nobody")
}

/// The example in Sources/TidemarkGraphQLTypes/Values/GraphQLNullable.swift.
func exampleTidemarkGraphQLTypes2(cache: SyncCache) async throws {
    struct ReviewInput: TypedInput {
        var stars: Int
        var commentary: GraphQLNullable<String> = nil
        func write(to object: inout InputWriter) {
            object.write("stars", stars)
            object.write("commentary", commentary)
        }
    }
    print(ReviewInput(stars: 5, commentary: .null).jsonValue.text)  // null clears the commentary
    print(ReviewInput(stars: 5).jsonValue.text)  // without the field, the server leaves it alone
}

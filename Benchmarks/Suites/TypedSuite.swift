import Foundation
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkGraphQLTypes

/// The cost of reading generated types from a cache; the reference is Foundation's decoder on the same data.
enum TypedSuite {
    /// The same data as a programmer would write it for `JSONDecoder`.
    private struct PlainItems: Decodable {
        struct Item: Decodable {
            private enum CodingKeys: String, CodingKey {
                case typename = "__typename"
                case id, f0, f1, f2, f3, f4, f5, f6, f7, rank, weight, owner, tags
            }

            var typename: String
            var id: String
            var f0: String
            var f1: String
            var f2: String
            var f3: String
            var f4: String
            var f5: String
            var f6: String
            var f7: String
            var rank: Int
            var weight: Double?
            var owner: Owner?
            var tags: [String]
        }

        struct Owner: Decodable {
            private enum CodingKeys: String, CodingKey {
                case typename = "__typename"
                case id, name
            }

            var typename: String
            var id: String
            var name: String
        }

        var all: [Item]
    }

    /// Returns an answer with this number of objects.
    private static func answer(_ objectCount: Int) -> [UInt8] {
        var text = "{\"data\":{\"all\":["
        for index in 0..<objectCount {
            let fields = (0..<8).map { #""f\#($0)":"value \#(index) \#($0)""# }.joined(separator: ",")
            text += (index > 0 ? "," : "")
            text += #"{"__typename":"Item","id":"\#(index)",\#(fields),"rank":\#(index),"weight":\#(index).25,"#
            text += #""owner":{"__typename":"Owner","id":"\#(index % 50)","name":"Owner \#(index % 50)"},"#
            text += #""tags":["one","two \#(index)"]}"#
        }
        return Array((text + "]}}").utf8)
    }

    static func run(_ cache: SyncCache, _ objectCount: Int, _ runs: Int, into report: inout Report) async throws {
        let document = ByteString(Items.document)
        try await cache.writeDocument(GraphQLRequest(document), try ResponseParts(answer(objectCount)))
        let bytes = try await GraphQLSuite.data(cache, document)
        report.add(
            try await Measurement.compare(
                "data to types", unit: "object", count: objectCount, runs: runs, goal: 1.0 / 3,
                referenceName: "JSONDecoder", reference: { try plainSum(bytes) }, subject: { try typedSum(bytes) }))
        // Foundation's decoder gets the data; the subject begins at the stored entities.
        report.add(
            try await Measurement.compare(
                "stored entities to types", unit: "object", count: objectCount, runs: runs, goal: 1.0 / 3,
                referenceName: "JSONDecoder of the data", reference: { try plainSum(bytes) },
                subject: { try typedSum(try await GraphQLSuite.data(cache, document)) }))
    }

    private static let foundation = JSONDecoder()

    // These are separate functions, because inlined into the coroutine above they make the optimizer of Swift 6.3
    // crash.
    @inline(never) private static func plainSum(_ bytes: [UInt8]) throws -> UInt64 {
        try foundation.decode(PlainItems.self, from: Data(bytes)).all.reduce(0) { $0 &+ UInt64($1.rank) }
    }

    @inline(never) private static func typedSum(_ bytes: [UInt8]) throws -> UInt64 {
        try Items.Data(data: bytes).all.reduce(0) { $0 &+ UInt64($1.rank) }
    }
}

import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkGraphQLTypes

@Suite(.pooled) struct PhotoTests {
    static func graph() throws -> StoredGraph { try StoredGraph(schema: try Sources.text("Photos/schema.graphqls")) }

    static let page = """
        {"photo":{"__typename":"Photo","id":"1","title":"Sea \\"\\u00e9\\ud83d\\ude00\\"","link":"https://example.com/1",
        "isFavorite":true,"taken":"2026-03-01T12:00:00Z","metadata":{"iso":100,"lens":[1,2.50]},"rating":4.5,
        "tags":[],"faces":[{"__typename":"Face","x":0.1,"y":-1e-3,"person":{"__typename":"User","id":"u","name":"Ann"}}],
        "owner":{"__typename":"User","id":"u","name":"Ann"}}}
        """

    @Test func `custom scalars are the types that were chosen`() throws {
        var graph = try PhotoTests.graph()
        let query = Photos.PhotoPage(id: "1", withAlbum: false)
        try graph.write(PhotoTests.page, of: query)
        let photo = try #require(try graph.data(query).photo)
        #expect(photo.title == "Sea \"é😀\"")
        #expect(photo.taken == Date(timeIntervalSince1970: 1_772_366_400))
        #expect(photo.link == URL(string: "https://example.com/1"))
        #expect(photo.metadata?["lens"]?[1]?.text == "2.50")
        #expect(photo.faces?[0].y == -0.001)
        #expect(photo.faces?[0].person?.name == "Ann")
        #expect(photo.album == nil)
        #expect(photo.owner?.owner.name == "Ann")
        #expect(photo.fragments.photoTile.isFavorite)
    }

    @Test func `input types hold themselves`() {
        let filter = PhotoTests.filter(depth: 3)
        #expect(
            Photos.PhotoGrid(filter: .value(filter), first: 2).variables.text
                == #"{"filter":{"favorite":true,"any":[{"favorite":true,"any":[{"favorite":true}]}]},"first":2}"#)
    }

    private static func filter(depth: Int) -> Photos.PhotoFilter {
        Photos.PhotoFilter(favorite: true, any: depth > 1 ? .value([filter(depth: depth - 1)]) : .absent)
    }

    @Test func `data that does not fit names its place`() throws {
        func problem(_ text: String) -> String {
            do {
                _ = try Photos.PhotoGrid.Data(data: Array(text.utf8))
                return ""
            } catch {
                return error.description
            }
        }
        let tile = #""__typename":"Photo","id":"1","title":null,"link":null,"isFavorite":false"#
        let rest = #""taken":"2026-03-01T12:00:00Z","width":1,"height":2"#
        #expect(
            problem(#"{"photos":[{\#(tile),\#(rest)},{"id":"2"}]}"#).hasPrefix("photos[1] lacks the field __typename"))
        #expect(
            problem(#"{"photos":[{\#(tile),"taken":5,"width":1,"height":2}]}"#)
                == "photos[0].taken is no date as 2026-03-01T12:00:00Z")
        #expect(
            problem(#"{"photos":[{\#(tile),\#(rest.replacing("1,", with: "1.5,"))}]}"#) == "photos[0].width is no Int")
        #expect(problem(#"{"photos":null}"#) == "photos is no list")
        for text in ["", "{", "[", "{\"photos\":[", "{\"photos\":[{", "{\"photos\":[]} x", "{\"photos\":[]", "nul"] {
            #expect(!problem(text).isEmpty, "\(text)")
        }
    }

    @Test func `members in any order and unknown members are no matter`() throws {
        let members = [
            #""__typename":"Photo""#, #""id":7"#, #""title":"a\tb""#, #""link":null"#, #""isFavorite":false"#,
            #""taken":"2026-03-01T12:00:00.5Z""#, #""width":1.0"#, #""height":2"#, #""more":{"id":["}",{}]}"#,
        ]
        let plain = try Photos.PhotoGrid.Data(data: Array(#"{"photos":[{\#(members.joined(separator: ","))}]}"#.utf8))
        #expect(plain.photos[0].id == "7")
        #expect(plain.photos[0].width == 1)
        for rotation in 1..<members.count {
            let turned = (members[rotation...] + members[..<rotation]).reversed().joined(separator: " ,\n ")
            let data = try Photos.PhotoGrid.Data(data: Array("{ \"photos\" : [ { \(turned) } ] }".utf8))
            #expect(data == plain)
        }
    }
}

import Tidemark
import TidemarkModel
import TidemarkTesting

/// An entity of the library without a log: every task writes it, so its final value is not known.
struct SoakNote: Resource, Equatable {
    static let resourceType = "note"
    static let library = "notes"
    static let count = 24

    var id: Int
    var open: Bool
    var rank: Int

    /// The queries of notes: one in the server's order, others with rules, two of them local. The last one is never
    /// compared.
    static let queries: [(rule: String?, isLocal: Bool)] = [
        (nil, false),
        (#"{"resource_type":"note","where":{"path":"/open","eq":true},"order":[{"path":"/rank"}]}"#, false),
        (#"{"resource_type":"note","order":[{"path":"/rank","direction":"desc"}],"limit":5}"#, true),
        (#"{"resource_type":"note","where":{"path":"/rank","gte":3}}"#, true),
    ]

    static func key(_ query: Int) -> QueryKey {
        // The input written here is canonical.
        QueryKey(library: ByteString(library), method: "notes", canonicalInput: ByteString("[\(query)]"))
    }

    static func entityKey(_ id: Int) -> EntityKey {
        EntityKey(library: ByteString(library), type: "note", id: ByteString("\(id)"))
    }

    static func random(_ random: inout SeededGenerator, id: Int? = nil) -> SoakNote {
        SoakNote(id: id ?? random.below(count), open: random.chance(600), rank: random.below(6))
    }

    /// Returns a random answer of a server.
    static func result(of query: Int, _ random: inout SeededGenerator) -> QueryResult {
        var notes: [SoakNote] = []
        for id in 0..<count where random.chance(300) { notes.append(SoakNote.random(&random, id: id)) }
        return result(of: query, notes)
    }

    static func result(of query: Int, _ notes: [SoakNote]) -> QueryResult {
        var result = QueryResult(resourceType: "note", resources: notes.map(\.bytes))
        result.membership = queries[query].rule.map { Array($0.utf8) }
        result.isLocal = queries[query].isLocal
        return result
    }

    var bytes: [UInt8] { Array(#"{"id":\#(id),"open":\#(open),"rank":\#(rank)}"#.utf8) }

    var line: [UInt8] {
        Array(#"{"library_id":"\#(Self.library)","event":{"ResourceChanged":{"resource_type":"note","resource":"#.utf8)
            + bytes + Array("}}}\n".utf8)
    }
}

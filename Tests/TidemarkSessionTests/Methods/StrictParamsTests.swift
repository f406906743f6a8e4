import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSession

/// Unknown params: a request is refused, with the nearest name, where ignoring them would widen its effect.
@Suite(.pooled) struct StrictParamsTests {
    /// Performs a request on an empty cache.
    ///
    /// - Returns: Why its parameters are refused; nil if they are accepted, whatever becomes of the request.
    private func refusal(_ method: String, _ params: String, isStrict: Bool = true) async throws -> String? {
        let cache = try await SyncCache.open(configuration: CacheConfiguration(), journal: MemoryJournal())
        let table = MethodTable([
            EntityMethods(clearings: [ClearingFlag(name: "http", begin: { _ in }, finish: { _ in })]), QueryMethods(),
            LayerMethods(), ControlMethods(families: []),
        ])
        let known = try #require(table[ByteString(method)])
        let reader = RequestReader(limits: Limits(), defaultLibrary: "", isStrict: isStrict)
        let session = SessionContext(
            cache: cache, output: NoOutput(), calls: nil, waiting: WaitingRequests(), reader: reader,
            logger: Logger(label: "test"))
        var message: String?
        do throws(CacheError) {
            let read = try reader.params(
                JSONSlice(validated: Array(params.utf8)[...]), known: known.params, of: known.name)
            _ = try await known.perform(
                MethodCall(
                    session: session, params: read, responder: Responder(id: Message.nullID, target: .nobody),
                    place: nil))
        } catch {
            if error.code == .invalidParams { message = error.message }
        }
        await session.waiting.waitUntilEmpty()
        try await cache.close()
        return message
    }

    @Test(arguments: [
        (
            "cache.remove", #"{"resource_typ":"file"}"#,
            "resource_typ is not known in cache.remove: did you mean resource_type?"
        ),
        (
            "cache.remove", #"{"resourceType":"file"}"#,
            "resourceType is not known in cache.remove: did you mean resource_type?"
        ),
        ("cache.remove", #"{"Matching":"x"}"#, "Matching is not known in cache.remove: did you mean matching?"),
        ("cache.clear", #"{"library":"a"}"#, "library is not known in cache.clear: did you mean library_id?"),
        ("cache.clear", #"{"nonsense":null}"#, "nonsense is not known in cache.clear: pass only http, library_id"),
        ("cache.invalidate", #"{"all":true,"tag":["x"]}"#, "tag is not known in cache.invalidate: did you mean tags?"),
        (
            "query.put", #"{"method":"m","resource_type":"t","resources":[],"asof":1}"#,
            "asof is not known in query.put: did you mean as_of?"
        ),
        (
            "query.put",
            #"{"method":"m","resource_type":"t","resources":[],"included":[{"resource_type":"t","resources":[],"x":1}]}"#,
            "included[0].x is not known in query.put: pass only resource_type, resources, library_id"
        ),
        (
            "cache.transaction", #"{"operations":[{"op":"patch","resource_type":"t","id":"x","feilds":{}}]}"#,
            "operations[0].feilds is not known in the operation patch: did you mean operations[0].fields?"
        ),
        (
            "optimistic.update", #"{"pending_id":"p","changes":[{"op":"delete","resource_type":"t","id":"x","if":1}]}"#,
            "changes[0].if is not known in the operation delete: did you mean changes[0].id?"
        ),
        (
            "optimistic.commit", #"{"pending_id":"p","idmap":{}}"#,
            "idmap is not known in optimistic.commit: did you mean id_map?"
        ),
        (
            "optimistic.rollback", #"{"pendig_id":"p"}"#,
            "pendig_id is not known in optimistic.rollback: did you mean pending_id?"
        ),
        (
            "optimistic.list", #"{"libary_id":"p"}"#,
            "libary_id is not known in optimistic.list: did you mean library_id?"
        ),
    ])
    func `an unknown param is refused with the nearest name, except in a recording`(
        method: String, params: String, message: String
    ) async throws {
        #expect(try await refusal(method, params) == message)
        #expect(try await refusal(method, params, isStrict: false)?.contains("is not known") != true)
    }

    @Test(arguments: [
        ("cache.remove", "{}"), ("cache.remove", #"{"cascade":true,"library_id":"a"}"#),
        ("cache.remove", #"{"resource_type":null}"#), ("cache.remove", #"{"matching":""}"#),
        ("cache.remove", #"{"resource_type":"t","matching":""}"#),
        ("cache.transaction", #"{"operations":[{"op":"remove","resource_type":"t","matching":""}]}"#),
    ])
    func `a removal that names nothing is refused`(method: String, params: String) async throws {
        #expect(try await refusal(method, params) != nil)
    }

    @Test(arguments: [
        ("entity.get", #"{"resource_type":"t","id":"x","feilds":["a"]}"#), ("cache.stats", #"{"all":true}"#),
        ("query.read", #"{"method":"m","polcy":"cacheOnly"}"#),
    ])
    func `requests that read ignore unknown params`(method: String, params: String) async throws {
        #expect(try await refusal(method, params) == nil)
    }

    @Test(arguments: [
        ("query.obsrve", "there is no method query.obsrve: did you mean query.observe?"),
        ("entityGet", "there is no method entityGet: did you mean entity.get?"),
        ("nothing.at.all", "there is no method nothing.at.all: the methods are listed in Protocol/sessions.md"),
    ])
    func `a method that does not exist is refused with the nearest name`(method: String, message: String) {
        let table = MethodTable([EntityMethods(clearings: []), QueryMethods()])
        let name = ByteString(method)
        #expect(MessageError.methodNotFound(name, nearest: table.nearest(to: name)).message == message)
    }

    @Test func `every method that changes something lists its params, and accepts them`() async throws {
        let whole = [
            ("cache.remove", #"{"resource_type":"t","ids":["x"],"matching":"x","cascade":false,"library_id":"a"}"#),
            ("cache.clear", #"{"library_id":"a"}"#),
            (
                "cache.invalidate",
                #"{"method":"m","input":1,"resource_type":"t","tags":["x"],"hints":{},"all":false,"library_id":""}"#
            ),
            (
                "query.put",
                #"{"method":"m","input":1,"resource_type":"t","resources":[],"included":[],"ttl":1,"as_of":2,"membership":{},"tags":[],"local":false,"library_id":""}"#
            ),
            (
                "cache.transaction",
                #"{"library_id":"","operations":[{"op":"put","resource_type":"t","resource":{},"expected_sequence":null},{"op":"patch","resource_type":"t","id":"x","fields":{},"unset":[],"expected_sequence":1},{"op":"delete","resource_type":"t","id":"x","expected_sequence":1},{"op":"remove_field","resource_type":"t","id":"x","field":"a","expected_sequence":1},{"op":"remove","resource_type":"t","ids":[],"matching":"x"}]}"#
            ),
            (
                "optimistic.update",
                #"{"pending_id":"p","changes":[{"op":"delete","resource_type":"t","id":"x"}],"depends_on":"q","library_id":""}"#
            ),
            (
                "optimistic.commit",
                #"{"pending_id":"p","confirmed":[],"resource_type":"t","sequence":1,"id_map":{},"library_id":""}"#
            ),
            ("optimistic.rollback", #"{"pending_id":"p","library_id":""}"#), ("optimistic.list", #"{"library_id":""}"#),
        ]
        for (method, params) in whole {
            #expect(try await refusal(method, params)?.contains("is not known") != true, "\(method)")
        }
    }

    @Test(arguments: [
        (
            #"{"resource_type":"t","id":"x","library_id":"\ud800"}"#,
            "library_id has half a surrogate pair, which is not a character: pass a string"
        ),
        (
            #"{"resource_type":"t","id":"\udc00x"}"#,
            "id has half a surrogate pair, which is not a character: pass whole characters"
        ),
        (#"{"resource_type":"t","id":"x","fields":["a",1]}"#, "fields[1] is a number: pass an array of strings"),
        (
            #"{"resource_type":"t","id":"x","fields":["\ud800"]}"#,
            "fields[0] has half a surrogate pair, which is not a character: pass an array of strings"
        ),
    ])
    func `a wrong text is refused with the reason`(params: String, message: String) async throws {
        #expect(try await refusal("entity.get", params) == message)
    }

    @Test func `a quotation ends between characters, and an unknown operation is reported first`() async throws {
        let long = "\"" + String(repeating: "x", count: 38) + "éé\""
        let message = try await refusal("entity.list", #"{"resource_type":"t","limit":\#(long)}"#)
        #expect(message == #"limit is "\#(String(repeating: "x", count: 38))…: pass a whole number from 1 to 100000"#)
        #expect(
            try await refusal("cache.transaction", #"{"operations":[{"op":"grow"}]}"#)
                == "operations[0].op is 'grow': pass put, patch, merge, delete, remove_field or remove")
    }
}

// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel

/// The example in Sources/TidemarkModel/ByteString.swift.
func exampleTidemarkModel1(cache: SyncCache) async throws {
    let composed: ByteString = "caf\u{E9}"
    let decomposed: ByteString = "cafe\u{301}"
    print(composed == decomposed, composed.description == decomposed.description)  // false true
}

/// The example in Sources/TidemarkModel/CachePolicy+Rules.swift.
func exampleTidemarkModel2(cache: SyncCache) async throws {
    var configuration = CacheConfiguration()
    configuration.policy = CachePolicy([
        CachePolicy.Rules("photo", maxAge: 3_600, fields: ["rating": 60], cascades: ["album": "album"])
    ])
}

/// The example in Sources/TidemarkModel/CachePolicy.swift.
func exampleTidemarkModel3(cache: SyncCache) async throws {
    var configuration = CacheConfiguration()
    configuration.policy = CachePolicy([CachePolicy.Rules("photo", maxAge: 3_600)])
}

/// The example in Sources/TidemarkModel/EntityDigest.swift.
func exampleTidemarkModel4(cache: SyncCache) async throws {
    var digest = EntityDigest()
    digest.add(EntityKey(type: "photo", id: "1"), payload: Array(#"{"id":"1"}"#.utf8))
    print(digest)  // 16 hexadecimal digits
}

/// The example in Sources/TidemarkModel/EntityKey.swift.
func exampleTidemarkModel5(cache: SyncCache) async throws {
    let key = EntityKey(library: "home", type: "photo", id: "1")
    print(key.text)  // photo:1
    print(EntityKey(text: "photo:1", library: "home") == key)  // true
}

/// The example in Sources/TidemarkModel/EventCounts.swift.
func exampleTidemarkModel6(cache: SyncCache) async throws {
    let counts = await cache.counts()
    print(counts.applied, "applied,", counts.quarantined, "quarantined of", counts.events)
}

/// The example in Sources/TidemarkModel/EventSequence.swift.
func exampleTidemarkModel7(cache: SyncCache) async throws {
    let sequence = EventSequence(7)
    print(sequence.successor.rawValue, sequence < .last)  // 8 true
}

/// The example in Sources/TidemarkModel/FetchPolicy.swift.
func exampleTidemarkModel8(cache: SyncCache) async throws {
    var request = QueryRequest(try QueryKey(library: "", method: "photos.list", input: Array("{}".utf8)))
    request.policy = .networkFirst
    request.maxStale = .seconds(60)
}

/// The example in Sources/TidemarkModel/LibraryStatus.swift.
func exampleTidemarkModel9(cache: SyncCache) async throws {
    for status in await cache.libraries() where status.phase == .stale {
        print(status.library, "lost", status.lost.map { "\($0.first.rawValue)-\($0.last.rawValue)" })
    }
}

/// The example in Sources/TidemarkModel/Limits.swift.
func exampleTidemarkModel10(cache: SyncCache) async throws {
    var configuration = CacheConfiguration()
    configuration.limits.entityByteCountMax = 1 << 20
    configuration.limits.observerCountMax = 1_000
}

/// The example in Sources/TidemarkModel/MutationRequest.swift.
func exampleTidemarkModel11(cache: SyncCache) async throws {
    var request = MutationRequest(method: "photos.create", compactInput: Array(#"{"id":"draft-1"}"#.utf8))
    request.key = "photos"
    request.temporaryIDs = ["/id"]
    request.duration = .seconds(3_600)
    request.onFailure = .continue
}

/// The example in Sources/TidemarkModel/QuarantineReason.swift.
func exampleTidemarkModel12(cache: SyncCache) async throws {
    print(QuarantineReason.missingID.code)  // missing_id
    print(QuarantineReason(code: "too_deep") == .tooDeep)  // true
}

/// The example in Sources/TidemarkModel/QueryKey.swift.
func exampleTidemarkModel13(cache: SyncCache) async throws {
    let key = try QueryKey(library: "", method: "photos.list", input: Array(#"{"b":1,"a":2}"#.utf8))
    print(key.input)  // {"a":2,"b":1}
}

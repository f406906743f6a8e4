// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel

/// The example in Sources/Tidemark/Engine/CacheConfiguration.swift.
func exampleTidemark1(cache: SyncCache) async throws {
    var configuration = CacheConfiguration()
    configuration.memoryByteCountMax = 64 << 20
    configuration.eviction.entityCountMax = 100_000
    configuration.policy = CachePolicy([CachePolicy.Rules("photo", maxAge: 3_600)])
    configuration.flush = .interactive
}

/// The example in Sources/Tidemark/Engine/CacheConfiguration.swift.
func exampleTidemark2(cache: SyncCache) async throws {
    var configuration = CacheConfiguration()
    configuration.flush = .bulk
    configuration.flush.attemptCountMax = 3
}

/// The example in Sources/Tidemark/Engine/EvictionPolicy.swift.
func exampleTidemark3(cache: SyncCache) async throws {
    var configuration = CacheConfiguration()
    configuration.eviction.diskByteCountMax = 512 << 20
    configuration.eviction.keptTypes = ["album"]
    configuration.eviction.keptFields = ["photo": ["name", "thumbnail"]]
    configuration.eviction.willEvict = { check in
        print(check.tier, check.count, check.limit)
        return true
    }
}

/// The example in Sources/Tidemark/Engine/FieldIndex.swift.
func exampleTidemark4(cache: SyncCache) async throws {
    var configuration = CacheConfiguration()
    configuration.fieldIndexes = [FieldIndex("file./content_kind")].compactMap { $0 }
}

/// The example in Sources/Tidemark/Engine/SyncCache+Erasing.swift.
func exampleTidemark5(cache: SyncCache) async throws {
    try await cache.erase(library: "user-17")  // for example when this user deletes the account
}

/// The example in Sources/Tidemark/Engine/SyncCache+Flush.swift.
func exampleTidemark6(cache: SyncCache) async throws {
    let line = #"{"ResourceChanged":{"resource_type":"photo","resource":{"id":"1","stars":5}}}"#
    try await cache.ingest(Array(line.utf8))
    try await cache.flush()  // the photo survives a crash from here on
}

/// The example in Sources/Tidemark/Engine/SyncCache+Healing.swift.
func exampleTidemark7(cache: SyncCache) async throws {
    for status in await cache.heal() where !status.lost.isEmpty {
        print(status.library, "still misses", status.lost.count, "ranges")
    }
}

/// The example in Sources/Tidemark/Engine/SyncCache+Lines.swift.
func exampleTidemark8(cache: SyncCache) async throws {
    let lines = """
        {"sequence":1,"event":{"ResourceChanged":{"resource_type":"photo","resource":{"id":"1","stars":4}}}}
        {"sequence":2,"event":{"ResourceDeleted":{"resource_type":"photo","resource_id":"2"}}}
        """
    try await cache.ingest(Array(lines.utf8))
    print(await cache.counts().applied)
}

/// The example in Sources/Tidemark/Engine/SyncCache+Opening.swift.
func exampleTidemark9(cache: SyncCache) async throws {
    func open(over journal: some Journal) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.memoryByteCountMax = 64 << 20
        return try await SyncCache.open(configuration: configuration, journal: journal)
    }
}

/// The example in Sources/Tidemark/Engine/SyncCache+SpareMemory.swift.
func exampleTidemark10(cache: SyncCache) async throws {
    await cache.releaseSpareMemory()
}

/// The example in Sources/Tidemark/Engine/SyncCache+SpareMemory.swift.
func exampleTidemark11(cache: SyncCache) async throws {
    let byteCount = await cache.relieveMemory()
    print("entities still take \(byteCount) bytes")
}

/// The example in Sources/Tidemark/Engine/SyncCache.swift.
func exampleTidemark12(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var stars: Int
    }
    let line = #"{"ResourceChanged":{"resource_type":"photo","resource":{"id":"1","stars":5}}}"#
    try await cache.ingest(Array(line.utf8))
    print(try await cache.entity(Photo.self, id: "1")?.stars ?? 0)  // 5
    for try await update in cache.observe(Photo.self, id: "1") { print(update.value?.stars ?? 0) }
}

/// The example in Sources/Tidemark/Engine/SyncCache.swift.
func exampleTidemark13(cache: SyncCache) async throws {
    switch try await cache.entity(EntityKey(type: "photo", id: "1")) {
    case .found(let resource): print(String(decoding: resource.bytes, as: UTF8.self))
    case .missing(let miss): print(miss)  // absent, evicted or deleted
    }
}

/// The example in Sources/Tidemark/Engine/SyncCache.swift.
func exampleTidemark14(cache: SyncCache) async throws {
    for status in await cache.libraries() {
        print(status.library, status.phase, status.cursor?.rawValue ?? 0, status.lost.count)
    }
}

/// The example in Sources/Tidemark/Engine/SyncCache.swift.
func exampleTidemark15(cache: SyncCache) async throws {
    try await cache.close()
}

/// The example in Sources/Tidemark/Input/IngestStream.swift.
func exampleTidemark16(cache: SyncCache) async throws {
    func ingest(_ input: some LineInput) async throws {
        let stream = try await IngestStream(of: input, into: cache)
        while try await stream.next() {}
        try await stream.finish()
    }
}

/// The example in Sources/Tidemark/Journal/StorageError.swift.
func exampleTidemark17(cache: SyncCache) async throws {
    do {
        try await cache.flush()
    } catch where error.code == .diskFull {
        print("free some space: \(error.message)")
    } catch {
        print(error.message, error.advice)
    }
}

/// The example in Sources/Tidemark/Observation/EntityObservation.swift.
func exampleTidemark18(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    for try await update in cache.observe(Photo.self, id: "1") {
        print(update.value?.name ?? "gone", update.changedFields)
    }
}

/// The example in Sources/Tidemark/Observation/ListChange.swift.
func exampleTidemark19(cache: SyncCache) async throws {
    var names = ["Sea", "Shore"]
    let changes: [ListChange<String>] = [.insert("Dune", at: 0), .move(from: 2, to: 1), .remove(at: 2)]
    for change in changes { change.apply(to: &names) }
    print(names)  // ["Dune", "Shore"]
}

/// The example in Sources/Tidemark/Observation/QueryModel.swift.
func exampleTidemark20(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
    }
    @MainActor func show() throws {
        let photos = QueryModel(try cache.observe(Photo.self, method: "photos.list"))
        photos.start()
        // In SwiftUI: List(photos.items) { Text($0.id) }
        photos.stop()
    }
}

/// The example in Sources/Tidemark/Observation/QueryObservation.swift.
func exampleTidemark21(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    let photos = try cache.observe(Photo.self, method: "photos.list", input: ["album": "7"])
    for try await update in photos {
        print(update.items.map(\.name), update.isStale)
    }
}

/// The example in Sources/Tidemark/Optimistic/OptimisticCommit.swift.
func exampleTidemark22(cache: SyncCache) async throws {
    struct RenameServer: MutationUpstream {
        nonisolated(nonsending) func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
            let saved = Array(#"{"id":"1","name":"Open sea"}"#.utf8)
            return OptimisticCommit(
                pendingID: mutation.pendingID, confirmed: [saved], resourceType: "photo", sequence: EventSequence(8))
        }
    }
}

/// The example in Sources/Tidemark/Optimistic/OptimisticConfirmation.swift.
func exampleTidemark23(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    let edit = try await cache.optimistically { try $0.put(Photo(id: "draft-1", name: "Sea")) }
    try await edit.commit(
        OptimisticConfirmation(Photo(id: "42", name: "Sea"), sequence: EventSequence(8), realIDs: ["draft-1": "42"]))
}

/// The example in Sources/Tidemark/Optimistic/OptimisticEdit.swift.
func exampleTidemark24(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    let edit = try await cache.optimistically { changes in
        try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
    }
    try await edit.commit(confirmed: Photo(id: "1", name: "Open sea"), sequence: EventSequence(8))
}

/// The example in Sources/Tidemark/Optimistic/OutcomeUnknownError.swift.
func exampleTidemark25(cache: SyncCache) async throws {
    try await cache.optimistically { changes in
        try changes.patch(type: "photo", id: "1", ["name": "Open sea"])
    } perform: { edit in
        // The connection broke after the request had left.
        throw OutcomeUnknownError(UpstreamError("the connection broke"))
    }
}

/// The example in Sources/Tidemark/Optimistic/SyncCache+OptimisticEdits.swift.
func exampleTidemark26(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    let edit = try await cache.optimistically { changes in
        try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
        try changes.delete(Photo.self, id: "2")
    }
    try await edit.rollback()
}

/// The example in Sources/Tidemark/Optimistic/SyncCache+OptimisticEdits.swift.
func exampleTidemark27(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    try await cache.optimistically { changes in
        try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
    } perform: { edit in
        // Send edit.changes to the server with edit.pendingID as the idempotency key.
        OptimisticConfirmation(Photo(id: "1", name: "Open sea"), sequence: EventSequence(8))
    }
}

/// The example in Sources/Tidemark/Optimistic/SyncCache+OptimisticEdits.swift.
func exampleTidemark28(cache: SyncCache) async throws {
    for edit in await cache.pendingEdits() where await edit.state == .pending {
        print(edit.pendingID, edit.changes)
    }
}

/// The example in Sources/Tidemark/Outbox/MutationRequest+JSON.swift.
func exampleTidemark29(cache: SyncCache) async throws {
    var request = MutationRequest(method: "photos.rename", input: ["id": "1", "name": "Open sea"])
    request.key = "photo 1"
    request.attemptCountMax = 10
    try await cache.optimistically(sending: request) { changes in
        try changes.patch(type: "photo", id: "1", ["name": "Open sea"])
    }
}

/// The example in Sources/Tidemark/Outbox/MutationUpstream.swift.
func exampleTidemark30(cache: SyncCache) async throws {
    struct PhotoServer: MutationUpstream {
        nonisolated(nonsending) func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
            // Send mutation.input to mutation.method, with mutation.pendingID as the idempotency key.
            guard mutation.method == "photos.rename" else { throw UpstreamError("unknown method", isRefusal: true) }
            return OptimisticCommit(pendingID: mutation.pendingID, sequence: EventSequence(8))
        }
    }
}

/// The example in Sources/Tidemark/Outbox/SyncCache+Outbox.swift.
func exampleTidemark31(cache: SyncCache) async throws {
    await cache.pauseOutbox()  // for example on a metered connection
}

/// The example in Sources/Tidemark/Outbox/SyncCache+Outbox.swift.
func exampleTidemark32(cache: SyncCache) async throws {
    await cache.resumeOutbox()  // for example when the network is back
}

/// The example in Sources/Tidemark/Outbox/SyncCache+Outbox.swift.
func exampleTidemark33(cache: SyncCache) async throws {
    for status in await cache.outboxStatuses() where status.state == .failed {
        print(status.pendingID, status.failure?.message ?? "")
    }
}

/// The example in Sources/Tidemark/Outbox/SyncCache+OutboxEdits.swift.
func exampleTidemark34(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    let rename = MutationRequest(method: "photos.rename", input: ["id": "1", "name": "Open sea"])
    try await cache.optimistically(sending: rename) { changes in
        try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
    }
}

/// The example in Sources/Tidemark/Queries/CacheError.swift.
func exampleTidemark35(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
    }
    do {
        let photos = try await cache.query(Photo.self, method: "photos.list", policy: .cacheOnly)
        print(photos.items.count)
    } catch let error as CacheError where error.code == .cacheMiss {
        print("nothing stored:", error.reasons["cache"] ?? "")
    }
}

/// The example in Sources/Tidemark/Queries/EntityRequest.swift.
func exampleTidemark36(cache: SyncCache) async throws {
    var request = EntityRequest(EntityKey(type: "photo", id: "1"), fields: ["name"])
    request.maxAges = ["photo.name": 60]
    request.maxStale = .seconds(30)
    let read = try await cache.read(request)
    if let name = read.entity { print(String(decoding: name, as: UTF8.self)) }
    if let miss = read.miss { print(miss.rawValue) }
}

/// The example in Sources/Tidemark/Queries/QueryKey+Input.swift.
func exampleTidemark37(cache: SyncCache) async throws {
    let key = try QueryKey(library: "", method: "photos.list", input: Array(#"{ "album": "7" }"#.utf8))
    print(key.input)  // {"album":"7"}
}

/// The example in Sources/Tidemark/Queries/QueryResult.swift.
func exampleTidemark38(cache: SyncCache) async throws {
    struct PhotoServer: QueryUpstream {
        func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
            let photo = Array(#"{"id":"1","name":"Sea","album":"7"}"#.utf8)
            var result = QueryResult(resourceType: "photo", resources: [photo])
            result.membership = Array(#"{"resource_type":"photo","where":{"path":"/album","eq":"7"}}"#.utf8)
            result.timeToLive = .seconds(60)
            return result
        }
    }
}

/// The example in Sources/Tidemark/Queries/QueryUpstream.swift.
func exampleTidemark39(cache: SyncCache) async throws {
    struct PhotoServer: QueryUpstream {
        func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
            guard query.method == "photos.list" else { throw UpstreamError("unknown method", isRefusal: true) }
            return QueryResult(resourceType: "photo", resources: [Array(#"{"id":"1"}"#.utf8)])
        }
    }
}

/// The example in Sources/Tidemark/Queries/SyncCache+Entities.swift.
func exampleTidemark40(cache: SyncCache) async throws {
    var request = EntityRequest(EntityKey(type: "photo", id: "1"))
    request.maxAges = ["photo": 3_600]
    let read = try await cache.read(request)
    if read.miss == .expired, let field = read.expired { print(field.field, "is", field.overdue, "ms overdue") }
}

/// The example in Sources/Tidemark/Queries/SyncCache+Entities.swift.
func exampleTidemark41(cache: SyncCache) async throws {
    let explanation = try await cache.explain(EntityKey(type: "photo", id: "1"))
    for field in explanation.fields {
        print(field.name, field.writer.rawValue, field.sequence?.rawValue ?? 0, "\(field.age) ms old")
    }
    for place in explanation.queries { print(place.query.method, place.index) }
}

/// The example in Sources/Tidemark/Resources/CacheTransaction+JSON.swift.
func exampleTidemark42(cache: SyncCache) async throws {
    try await cache.transaction { transaction in
        try transaction.put(type: "photo", ["id": "1", "name": "Sea", "size": 18_446])
        try transaction.patch(type: "photo", id: "2", ["name": "Shore"], unset: ["draft"])
        try transaction.delete(type: "photo", id: "3")
    }
}

/// The example in Sources/Tidemark/Resources/CacheTransaction+Removal.swift.
func exampleTidemark43(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
    }
    try await cache.transaction { transaction in
        try transaction.remove(Photo.self, ids: ["1", "2"])
        try transaction.remove(matching: "thumbnail", type: "file")
    }
}

/// The example in Sources/Tidemark/Resources/CacheTransaction.swift.
func exampleTidemark44(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var stars: Int
    }
    try await cache.transaction(retrying: 3) { transaction in
        guard var photo = try await transaction.read(Photo.self, id: "1") else { return }
        photo.stars += 1
        try transaction.put(photo)
    }
}

/// The example in Sources/Tidemark/Resources/CacheTransaction.swift.
func exampleTidemark45(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    try await cache.transaction { transaction in
        try transaction.patch(Photo.self, id: "1", ["name": "Sea", "rating": 5], unset: ["draft"])
    }
}

/// The example in Sources/Tidemark/Resources/CacheTransaction.swift.
func exampleTidemark46(cache: SyncCache) async throws {
    struct Photo: PatchableResource {
        static let resourceType = "photo"
        static var fieldNames: [PartialKeyPath<Photo>: String] { [\.name: "name", \.rating: "rating"] }
        var id: String
        var name: String
        var rating: Int?
    }
    try await cache.transaction { transaction in
        try transaction.patch(Photo.self, id: "1") { fields in
            fields.set(\.name, to: "Sea")
            fields.unset(\.rating)
        }
    }
}

/// The example in Sources/Tidemark/Resources/PatchableResource.swift.
func exampleTidemark47(cache: SyncCache) async throws {
    struct Photo: PatchableResource {
        static let resourceType = "photo"
        static var fieldNames: [PartialKeyPath<Photo>: String] { [\.name: "name", \.rating: "rating"] }
        var id: String
        var name: String
        var rating: Int?
    }
}

/// The example in Sources/Tidemark/Resources/ReadTransaction.swift.
func exampleTidemark48(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    let (sea, shore) = try await cache.readTransaction { transaction in
        (try await transaction.read(Photo.self, id: "1"), try await transaction.read(Photo.self, id: "2"))
    }
    print(sea?.name ?? "", shore?.name ?? "")
}

/// The example in Sources/Tidemark/Resources/Resource.swift.
func exampleTidemark49(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
        var size: UInt64
    }
    let photo = try await cache.entity(Photo.self, id: "1")
    print(photo?.name ?? "", photo?.size ?? 0)
}

/// The example in Sources/Tidemark/Resources/Resource.swift.
func exampleTidemark50(cache: SyncCache) async throws {
    struct PhotoID: ResourceID, Codable, RawRepresentable {
        var rawValue: String
    }
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: PhotoID
    }
    let photo = try await cache.entity(Photo.self, id: PhotoID(rawValue: "1"))
    print(photo?.id.keyText ?? "none")
}

/// The example in Sources/Tidemark/Resources/ResourceDecodingError.swift.
func exampleTidemark51(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var size: Int
    }
    do {
        print(try await cache.entity(Photo.self, id: "1")?.size ?? 0)
    } catch let error as ResourceDecodingError {
        print(error.field, error.value?.text ?? "missing", error.reason)  // for example /size "big" …
    }
}

/// The example in Sources/Tidemark/Resources/ResourceRegistry.swift.
func exampleTidemark52(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
    }
    let registry = ResourceRegistry([Photo.self])
    for value in try await cache.entities(type: "photo", registry: registry).values {
        switch value {
        case .known(let resource): print((resource as? Photo)?.id ?? "")
        case .unknown(let type, let value): print(type, value["name"]?.string ?? "")
        }
    }
}

/// The example in Sources/Tidemark/Resources/SyncCache+Changes.swift.
func exampleTidemark53(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    try await cache.transaction { transaction in
        try transaction.put(Photo(id: "1", name: "Sea"))
        try transaction.patch(Photo.self, id: "2", ["name": "Shore"])
        try transaction.delete(Photo.self, id: "3")
    }
}

/// The example in Sources/Tidemark/Resources/SyncCache+Changes.swift.
func exampleTidemark54(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    try await cache.put(Photo(id: "1", name: "Sea"))
}

/// The example in Sources/Tidemark/Resources/SyncCache+Changes.swift.
func exampleTidemark55(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    try await cache.put([Photo(id: "1", name: "Sea")], method: "photos.list", timeToLive: .seconds(60))
    print(try await cache.query(Photo.self, method: "photos.list", policy: .cacheOnly).items.count)
}

/// The example in Sources/Tidemark/Resources/SyncCache+Changes.swift.
func exampleTidemark56(cache: SyncCache) async throws {
    let count = try await cache.invalidate(method: "photos.list", input: ["album": "7"])
    print(count, "queries became stale")
}

/// The example in Sources/Tidemark/Resources/SyncCache+Changes.swift.
func exampleTidemark57(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
    }
    print(try await cache.remove(Photo.self, ids: ["1", "2"]), "photos removed")
}

/// The example in Sources/Tidemark/Resources/SyncCache+Changes.swift.
func exampleTidemark58(cache: SyncCache) async throws {
    try await cache.clear()  // for example when the user signs out
}

/// The example in Sources/Tidemark/Resources/SyncCache+Resources.swift.
func exampleTidemark59(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    let photo = try await cache.entity(Photo.self, id: "1", maxAges: ["photo": 3_600])
    print(photo?.name ?? "not stored, or older than an hour")
}

/// The example in Sources/Tidemark/Resources/SyncCache+Resources.swift.
func exampleTidemark60(cache: SyncCache) async throws {
    var after: EntityKey?
    repeat {
        let page = try await cache.entities(type: "photo", after: after, countMax: 100)
        for case .unknown(_, let photo) in page.values { print(photo["name"]?.string ?? "") }
        after = page.next
    } while after != nil
}

/// The example in Sources/Tidemark/Resources/SyncCache+Resources.swift.
func exampleTidemark61(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
    }
    let photos = try await cache.query(
        Photo.self, method: "photos.list", input: ["album": "7"], policy: .networkFirst)
    print(photos.items.map(\.name), photos.isStale)
}

/// The example in Sources/Tidemark/Resources/SyncCache+Resources.swift.
func exampleTidemark62(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
    }
    let photos = try cache.observe(Photo.self, method: "photos.list", refreshes: true)
    for try await update in photos { print(update.items.count, update.changes.count, update.isStale) }
}

/// The example in Sources/Tidemark/Resources/SyncCache+Resources.swift.
func exampleTidemark63(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
    }
    for try await update in cache.observe(Photo.self, id: "1") {
        print(update.value == nil ? "gone" : "changed", update.changedFields)
    }
}

/// The example in Sources/Tidemark/Suspension/SyncCache+Suspension.swift.
func exampleTidemark64(cache: SyncCache) async throws {
    try await cache.suspend()  // in the background: the file is closed, and everything is in it
    try await cache.resume()  // in the foreground again
}

/// The example in Sources/Tidemark/Upstream/FileUpstream.swift.
func exampleTidemark65(cache: SyncCache) async throws {
    let upstream = FileUpstream(path: "complete.ndjson")
    guard upstream.isReadable else { return print("cannot read \(upstream.path)") }
    let answer = try await upstream.events(since: EventSequence(7), of: "home")
    print(String(decoding: answer.lines, as: UTF8.self))
}

/// The example in Sources/Tidemark/Upstream/Upstream.swift.
func exampleTidemark66(cache: SyncCache) async throws {
    struct EventServer: Upstream {
        func events(
            since sequence: EventSequence, of library: ByteString
        ) async throws(UpstreamError) -> UpstreamResponse {
            guard library == "home" else { throw UpstreamError("unknown library \(library)", isFinal: true) }
            let line = #"{"library_id":"home","sequence":7,"event":{"Heartbeat":{"last_sequence":7}}}"# + "\n"
            return UpstreamResponse(lines: Array(line.utf8), coveredThrough: EventSequence(7))
        }
    }
}

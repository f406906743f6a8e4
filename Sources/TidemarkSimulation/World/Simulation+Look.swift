import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

extension Simulation {
    /// Reads what the cache shows.
    ///
    /// - Parameter isThorough: True to read entities that are not in memory from disk, and to read lists.
    func look(isThorough: Bool) throws -> Seen {
        let names = Self.libraryNames.flatMap { library in (ids[library] ?? []).map { (library, $0) } }
        var observed: [SubscriptionID: [[UInt8]]] = [:]
        for (_, _, id) in subscriptions { observed[id] = process?.sink.observer(id)?.list }
        let asksDisk = isThorough && !executor.isLaneStalled
        let viewSink = process?.viewSink
        let outcome = try call { cache in
            var raw = RawSeen()
            raw.statuses = await cache.libraries()
            raw.counts = await cache.counts()
            raw.heldCount = await cache.heldEventCount
            raw.pending = await cache.pendingLayers()
            for (library, id) in names {
                let request = EntityRequest(EntityKey(library: ByteString(library), type: "file", id: ByteString(id)))
                var read = await cache.peek(request)
                if read == nil, asksDisk {
                    do throws(CacheError) { read = try await cache.read(request) } catch { read = nil }
                }
                raw.reads.append(RawSeen.Read(library: library, id: id, read: read))
            }
            guard asksDisk else { return raw }
            for library in Simulation.libraryNames {
                for query in ServerQuery.allCases {
                    guard let list = await Simulation.list(query, library, cache) else { continue }
                    raw.lists.append((library, query, list))
                }
            }
            if let viewSink { raw.views = await Simulation.views(viewSink, in: cache) }
            await cache.checkInvariants()
            return raw
        }
        guard let raw = outcome.value else {
            throw SimulationFailure("reading waits though the disk answers")
        }
        var seen = try seen(raw)
        seen.observed = observed
        return seen
    }

    /// Returns the stored list of a query; nil if the query has no key.
    static func list(
        _ query: ServerQuery, _ library: String, _ cache: SyncCache
    ) async -> Result<QueryAnswer, CacheError>? {
        guard let key = key(query, library) else { return nil }
        var request = QueryRequest(key, policy: .cacheOnly)
        request.allowsStale = true
        let answer = Outcome<Result<QueryAnswer, CacheError>>()
        await cache.read(request, observing: nil, reply: { answer.set($0.map(\.answer)) })
        return answer.value
    }

    static func key(_ query: ServerQuery, _ library: String) -> QueryKey? {
        QueryKey(library: ByteString(library), method: "list", canonicalInput: ByteString(query.input))
    }

    private func seen(_ raw: RawSeen) throws -> Seen {
        var seen = Seen()
        for status in raw.statuses { seen.statuses[status.library.description] = status }
        seen.counts = raw.counts
        seen.heldCount = raw.heldCount
        seen.pending = raw.pending.map(\.pendingID.description)
        for read in raw.reads {
            guard let entity = read.read else { continue }
            if entity.miss == .evicted {
                guard traits.entityCountMax != nil else {
                    throw SimulationFailure("\(read.library) \(read.id) was evicted, and there is no limit (L1)")
                }
                continue
            }
            var shown = Shown()
            if let resource = entity.entity { shown.fields = try fields(resource, read.id) }
            seen.entities[read.library, default: [:]][read.id] = shown
        }
        seen.lists = raw.lists
        seen.views = raw.views
        if let trace {
            let entities = seen.entities.sorted { $0.key < $1.key }.map { name, entities in
                "\(name) \(entities.sorted { $0.key < $1.key }.map { "\($0) \($1)" })"
            }
            trace("    \(entities)")
        }
        return seen
    }

    /// Returns a resource's fields, without its id.
    func fields(_ resource: [UInt8], _ id: String) throws -> ItemFields {
        if let known = parsed[resource] { return known }
        guard let members = try ReferenceJSONParser.parse(resource).members else {
            throw SimulationFailure("\(id) is \(String(decoding: resource, as: UTF8.self)), not an object (L1)")
        }
        var fields = ItemFields()
        for member in members {
            let name = String(decoding: member.key.unescaped, as: UTF8.self)
            let value = String(decoding: member.value.written, as: UTF8.self)
            if name == "id" {
                guard value == "\"\(id)\"" || value.lowercased() == "\"\(id)\"" && id.utf8.count == 36 else {
                    throw SimulationFailure("\(id) has the id \(value) (L1)")
                }
            } else {
                fields.values[name] = value
            }
        }
        parsed[resource] = fields
        return fields
    }
}

import Tidemark
import TidemarkFaultDisk
import TidemarkLiveScopes
import TidemarkModel
import TidemarkScopes
import TidemarkTesting

/// Clients of scopes, which outlive the processes that serve them.
extension Simulation {
    /// The scopes that a running process serves to the clients.
    struct OpenScope: Sendable {
        let service: ScopeService
        /// The streams of the clients, in the clients' order; nil for one that could not be begun.
        var streams: [ScopeStream?]
    }

    /// A client for each scope of each library, which has nothing yet.
    static func scopeClients() -> [ScopeClient] {
        libraryNames.flatMap { library in SimulatedScope.allCases.map { ScopeClient(library: library, scope: $0) } }
    }

    /// Serves scopes, connects the clients that are not connected, and gives them what they are sent.
    func followScopes() throws {
        guard traits.hasScopes, let process, !process.disk.isStopped, !executor.isLaneStalled else { return }
        if let underway = scopesUnderway {
            guard let opened = underway.value else { return }
            scopesUnderway = nil
            openScope = opened ?? openScope
        }
        if openScope?.streams.contains(where: { $0 == nil }) ?? true { try connectScopes() }
        try takeScopeLines()
    }

    private func connectScopes() throws {
        let resumptions = scopeClients.map { client in
            client.lastWhole.flatMap { number in
                ScopeReader.Resumption(after: number, epoch: ByteString(client.epoch ?? ""))
            }
        }
        let scopes = scopeClients.map { (library: $0.library, scope: $0.scope) }
        let present = openScope
        for (place, stream) in (present?.streams ?? scopes.map { _ in nil }).enumerated() where stream == nil {
            scopeClients[place].disconnect()
        }
        scopesUnderway = try call { cache -> OpenScope? in
            var open: OpenScope
            do throws(CacheError) {
                if let present { open = present } else { open = try await Self.serve(scopes.count, from: cache) }
            } catch {
                return nil
            }
            for place in scopes.indices where open.streams[place] == nil {
                let request = ScopeRequest(
                    name: ByteString("\(scopes[place].scope.rawValue)-\(scopes[place].library)"), subject: "client",
                    claims: Array("{}".utf8), address: [])
                do throws(ScopeRefusal) {
                    open.streams[place] = try await open.service.open(request, resumptions[place], expiry: .max)
                } catch {
                    continue
                }
            }
            return open
        }
        openScope = scopesUnderway?.value ?? openScope
        if scopesUnderway?.value != nil { scopesUnderway = nil }
    }

    private static func serve(_ count: Int, from cache: SyncCache) async throws(CacheError) -> OpenScope {
        let file: ScopeFile
        do throws(ScopeFileError) {
            file = try ScopeFile(json: Array(SimulatedScope.file(libraries: libraryNames).utf8))
        } catch {
            throw CacheError(.invalidParams, "\(error)")
        }
        return OpenScope(
            service: try await ScopeService(cache, file), streams: [ScopeStream?](repeating: nil, count: count))
    }

    private func takeScopeLines() throws {
        guard let open = openScope else { return }
        for (place, stream) in open.streams.enumerated() {
            guard let stream else { continue }
            _ = try call { _ in await open.service.resume(stream) }
            reading: while true {
                switch stream.next(now: clock.now(), wake: {}) {
                case .wait: break reading
                case .lines(let lines, let hasRoom):
                    for line in lines where !line.isEnd {
                        trace?("    \(place) < \(String(decoding: line.bytes, as: UTF8.self))")
                        try scopeClients[place].receive(line.bytes)
                    }
                    if hasRoom { _ = try call { _ in await open.service.resume(stream) } }
                case .end, .cut:
                    openScope?.streams[place] = nil
                    break reading
                }
            }
        }
    }

    /// The process has ended, and with it its streams. What it had written to them arrives.
    func leaveScopes() throws {
        for (place, stream) in (openScope?.streams ?? []).enumerated() {
            while case .lines(let lines, _) = stream?.next(now: clock.now(), wake: {}), !lines.isEmpty {
                for line in lines where !line.isEnd { try scopeClients[place].receive(line.bytes) }
            }
        }
        openScope = nil
        scopesUnderway = nil
        for place in scopeClients.indices { scopeClients[place].disconnect() }
    }

    /// Compares what clients have in the end with what they may see.
    func checkScopes() throws {
        guard traits.hasScopes else { return }
        // A library that is evaluated anew tries again after pauses of up to ten seconds.
        try wait(milliseconds: 20_000)
        for _ in 0..<3 {
            guard try flushCache().value == true else { throw SimulationFailure("a flush fails on a good disk") }
            try followScopes()
        }
        let seen = try look(isThorough: true)
        for (place, client) in scopeClients.enumerated() {
            guard openScope?.streams[place] != nil else {
                throw SimulationFailure("\(client.scope) of \(client.library) is not served on a good disk (P15)")
            }
            let entities = seen.entities[client.library] ?? [:]
            guard !truth.layers.contains(where: { $0.library == client.library }),
                entities.count == ids[client.library]?.count ?? 0
            else { continue }
            let wanted = try client.scope.shown(of: try SimulatedEntities(entities.compactMapValues(\.fields)))
            guard client.shown == wanted else {
                throw SimulationFailure(
                    "the client of \(client.scope) of \(client.library) has \(client.shown.sorted { $0.key < $1.key }), "
                        + "and may see \(wanted.sorted { $0.key < $1.key }) (P15)")
            }
            digest.mix("\(client.scope) \(client.shown.sorted { $0.key < $1.key })")
        }
    }
}

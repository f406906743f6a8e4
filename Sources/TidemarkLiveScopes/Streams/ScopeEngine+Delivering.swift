import Tidemark
import TidemarkModel
import TidemarkScopes
import TidemarkStore
import TidemarkViews

/// From logs to streams.
extension ScopeEngine {
    // MARK: Beginning and ending

    /// Begins a stream.
    ///
    /// - Parameters:
    ///   - resumption: Where the client goes on; nil for a state.
    ///   - expiry: When the stream ends, in milliseconds.
    /// - Throws: ``ScopeRefusal``.
    func open(
        _ request: ScopeRequest, _ resumption: ScopeReader.Resumption?, expiry: Int64, in cache: isolated SyncCache
    ) async throws(ScopeRefusal) -> ScopeStream {
        try checkRoom(for: request.subject)
        let scope = try await begin(request, in: cache)
        defer { finish(scope, in: cache) }
        try checkRoom(for: request.subject)
        let stream = ScopeStream(id: nextStream(), limits: serving)
        let served = ServedStream(
            stream, request, expiry: expiry, scope: scope,
            reader: ScopeReader(subject: request.subject, resumption: resumption))
        streams[stream.id] = served
        streamCounts[request.subject, default: 0] += 1
        scope.streamIDs.insert(stream.id)
        scope.idleSince = nil
        pump(served, in: cache)
        return stream
    }

    private func checkRoom(for subject: ByteString) throws(ScopeRefusal) {
        guard streams.count < serving.streamCountMax,
            streamCounts[subject, default: 0] < serving.subjectStreamCountMax
        else { throw .tooManyStreams }
    }

    /// Forgets a stream whose connection has ended.
    func close(stream id: Int, in cache: isolated SyncCache) {
        guard let served = streams.removeValue(forKey: id) else { return }
        waiting.remove(id)
        let count = streamCounts[served.request.subject, default: 0] - 1
        streamCounts[served.request.subject] = count > 0 ? count : nil
        served.scope.library.scopes.detach(&served.reader, from: served.scope.handle)
        served.scope.streamIDs.remove(id)
        letGo(served.scope, in: cache)
    }

    /// Ends a stream at once. Nothing leaves the client.
    ///
    /// - Parameter bye: The reason; nil closes the connection without one.
    func end(stream id: Int, _ bye: ScopeBye?, in cache: isolated SyncCache) {
        guard let served = streams[id] else { return }
        served.stream.finish(bye.map { served.reader.end($0) }, now: cache.now)
        close(stream: id, in: cache)
    }

    // MARK: Lines

    /// Writes what a stream has room for.
    func pump(_ served: ServedStream, in cache: isolated SyncCache) {
        let scope = served.scope
        let library = scope.library
        guard !library.isRebuilding else { return }
        var isFull = false
        while !served.reader.isEnded {
            let room = serving.waitingByteCountMax - served.stream.byteCount - served.waitingByteCount
            guard room > 0 else {
                isFull = true
                break
            }
            let lines = library.scopes.decide(
                scope.handle, for: &served.reader, room: min(room, ScopeEngine.stepByteCountMax),
                nonce: .random(in: .min ... .max, using: &random), ScopeEntities(library, in: cache))
            if !library.unreadable.isEmpty { return rebuild(library, in: cache) }
            if lines.isEmpty { break }
            give(lines, to: served, in: cache)
        }
        // Lines that wait for the disk are followed by others when they are there.
        if isFull, served.waiting.isEmpty { served.stream.noteFull() }
        // The end stays in the stream until the connection takes it.
        if served.reader.isEnded, served.waiting.isEmpty { close(stream: served.stream.id, in: cache) }
    }

    private static let stepByteCountMax = 256 << 10

    /// Gives lines to a stream once their log is on the disk.
    private func give(_ lines: [ScopeLine], to served: ServedStream, in cache: isolated SyncCache) {
        var tally = tallies[served.scope.name] ?? ScopeTally()
        tally.lineCount += Int64(lines.count)
        tally.byteCount += lines.reduce(0) { $0 + Int64($1.bytes.count) + 1 }
        tally.stateCount += Int64(lines.count { $0.number?.rawValue == 0 })
        tallies[served.scope.name] = tally
        if served.scope.ticket <= committedCount, served.waiting.isEmpty {
            served.stream.append(lines, now: cache.now)
        } else {
            served.wait(lines, for: served.scope.ticket)
            waiting.insert(served.stream.id)
        }
    }

    /// Gives streams the lines whose log has come to the disk.
    package func committed(in cache: isolated SyncCache) {
        committedCount = takenCount
        for (id, log) in parting where log.isTaken { parting[id] = nil }
        for id in waiting.sorted() {
            guard let served = streams[id] else { continue }
            let lines = served.takeDurable(committedCount)
            if !lines.isEmpty { served.stream.append(lines, now: cache.now) }
            guard served.waiting.isEmpty else { continue }
            waiting.remove(id)
            if served.reader.isEnded { close(stream: id, in: cache) } else { pump(served, in: cache) }
        }
    }

    // MARK: Time

    /// Ends the streams of tokens that are over, cuts those whose client takes nothing, and lets scopes go that nobody
    /// needed for a while. Called every second.
    func checkTimes(in cache: isolated SyncCache) {
        let now = cache.now
        // Once a minute is enough for what is kept for a day.
        if now / 1_000 % 60 == 0 { unwritten += ledger.forgetOld(now: now / 1_000) }
        for (id, served) in streams.sorted(by: { $0.key < $1.key }) {
            if served.expiry <= now {
                end(stream: id, .tokenExpired, in: cache)
            } else if served.stream.isStuck(now: now, serving) {
                tallies[served.scope.name, default: ScopeTally()].cutCount += 1
                end(stream: id, nil, in: cache)
            } else if !served.scope.library.scopes.isCaughtUp(served.reader, with: served.scope.handle) {
                // It may have waited for the place of another one's delivery.
                pump(served, in: cache)
            }
        }
        for library in libraries.values where !library.isRebuilding && !library.isFilling {
            for scope in library.all {
                guard let since = scope.idleSince, now - since >= serving.idleMillisecondCount, scope.isUnused else {
                    continue
                }
                release(scope, in: cache)
            }
        }
    }

    /// Writes a heartbeat to every stream, whatever happens. Called every 15 seconds.
    func beat(in cache: isolated SyncCache) {
        for (_, served) in streams.sorted(by: { $0.key < $1.key }) {
            guard !served.scope.library.isRebuilding,
                served.stream.byteCount + served.waitingByteCount < serving.waitingByteCountMax,
                let line = served.scope.library.scopes.heartbeat(served.scope.handle, for: served.reader)
            else { continue }
            give([line], to: served, in: cache)
        }
    }

    /// Ends every stream, because the server stops.
    func endAll(_ bye: ScopeBye, in cache: isolated SyncCache) {
        for id in streams.keys.sorted() { end(stream: id, bye, in: cache) }
    }
}

extension ScopeEngine {
    /// Returns the lines behind a number, all of which are on the disk.
    ///
    /// - Throws: ``ScopeRefusal``; `.epochOver` if they cannot be told in that epoch.
    func lines(
        _ request: ScopeRequest, since resumption: ScopeReader.Resumption, in cache: isolated SyncCache
    ) async throws(ScopeRefusal) -> [ScopeLine] {
        let scope = try await begin(request, in: cache)
        defer { finish(scope, in: cache) }
        let library = scope.library
        guard library.scopes.canResume(scope.handle, resumption, for: request.subject) else { throw .epochOver }
        var reader = ScopeReader(subject: request.subject, resumption: resumption)
        // All of a unit or nothing: half of one could not be continued.
        let lines = library.scopes.decide(
            scope.handle, for: &reader, room: serving.answerByteCountMax,
            nonce: .random(in: .min ... .max, using: &random), ScopeEntities(library, in: cache))
        let isWhole = library.scopes.isCaughtUp(reader, with: scope.handle)
        library.scopes.detach(&reader, from: scope.handle)
        if !library.unreadable.isEmpty {
            rebuild(library, in: cache)
            throw .unavailable("the file cannot be read now")
        }
        guard isWhole else { throw .epochOver }
        if scope.ticket > committedCount {
            do throws(StorageError) { try await cache.flush() } catch { throw .unavailable(error.description) }
        }
        return lines
    }
}

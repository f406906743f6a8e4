import Tidemark
import TidemarkModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads a stream's messages and converts them into event lines, in order and each once.
///
/// It continues through reconnects, elections and lost consumers by creating a new consumer after the last message
/// read. Use it from one thread, which may block.
struct StreamReader {
    /// How far a reader has read.
    struct Position: Equatable {
        /// The stream sequence of the last message read; 0 before the first.
        var sequence: Int64 = 0
        /// How many messages are still unread, as last reported by the server.
        var pendingCount: Int64 = 0
        /// The sequence of the stream's last message when reading began.
        var tail: Int64 = 0
    }

    /// The most bytes of lines that one call of ``read(timeout:_:)`` produces, but for the last line.
    static let lineByteCountMax = 512 << 10
    /// How long lines are collected while the server has more.
    private static let gatheringTime = Duration.milliseconds(20)

    private let address: JetStreamAddress
    private let settings: ReadingSettings
    private let known: [LibraryStatus]
    private var logs: LibraryLogs
    private var connection: NatsConnection?
    private var consumer: PullConsumer?
    /// The stream's state when the consumer was created.
    private var status: StreamStatus?
    /// True if that stream has a single subject without wildcards.
    private var hasOneSubject = false
    private var quotedEpoch: [UInt8] = []
    private(set) var position = Position()
    /// Counts of messages; ``statistics`` adds those of connections.
    private var counts = FeedStatistics()
    /// How many connections were created, and how often those that have ended reconnected.
    private var connectionCount: Int64 = 0
    private var pastReconnectCount: Int64 = 0
    /// The sequence before the first one to read, or before the first one that the stream still has. No message at or
    /// below it will be delivered.
    private var floor: Int64 = 0
    /// The sequence before the last message that did not follow its predecessor directly: others' messages or removed
    /// ones lie between. Messages read since have no gap between them.
    private var lastSkip: Int64 = 0
    /// The libraries whose last messages are looked up while the stream is quiet.
    private var tails = TailRound(at: .now)
    /// True if this call of ``read(timeout:_:)`` has already checked the stream's first sequence.
    private var hasCheckedFirst = false
    /// True once the reader has reached the end that ``ReadingSettings/endsCaughtUp`` asks for.
    private(set) var isCaughtUp = false

    init(_ address: JetStreamAddress, _ settings: ReadingSettings, known: [LibraryStatus]) {
        self.address = address
        self.settings = settings
        self.known = known
        logs = LibraryLogs(
            address, withoutEpoch: Set(known.filter { $0.epoch.bytes.isEmpty && $0.cursor != nil }.map(\.library)))
    }

    /// True while a server is connected.
    var isConnected: Bool { connection?.isConnected ?? false }

    /// The stream's epoch if messages can be deleted from it without a trace; nil when sequences show what is missing,
    /// and before a stream was found.
    var tracelessEpoch: ByteString? {
        guard settings.numbering == .stream, !hasOneSubject, let status else { return nil }
        return ByteString(status.epoch)
    }

    /// Counts so far, with the current position.
    var statistics: FeedStatistics {
        var statistics = counts
        statistics.reconnectCount =
            pastReconnectCount + max(0, connectionCount - 1) + (connection?.reconnectCount ?? 0)
        statistics.sequence = position.sequence
        statistics.lag = position.pendingCount
        statistics.isConnected = isConnected
        return statistics
    }

    /// True if there are received messages that are not lines yet.
    var hasTaken: Bool { consumer?.hasTaken ?? false }

    /// The subscription, to count waiting messages; nil while there is no consumer.
    var subscription: NatsSubscription? { consumer?.subscriptionForCount }

    /// Connects if necessary, and creates a consumer if there is none.
    ///
    /// - Parameter lines: Gets announcements to the cache of messages that the stream no longer has.
    /// - Throws: ``JetStreamError``.
    mutating func prepare(_ lines: inout StreamLines) throws(JetStreamError) {
        // libnats closes a connection when a server refuses its credentials twice; by now the files may have valid
        // ones.
        if let connection, connection.isClosed {
            pastReconnectCount += connection.reconnectCount
            (self.connection, consumer) = (nil, nil)
        }
        if connection == nil {
            connection = try NatsConnection(address)
            connectionCount += 1
        }
        guard consumer == nil, let connection else { return }
        let api = JetStreamAPI(connection: connection)
        let found = try api.status(of: address.stream)
        let start: Int64
        if let status, status.epoch == found.epoch {
            start = position.sequence + 1
            noteFirst(of: found, &lines)
        } else {
            if status != nil { logs.removeAll() }
            start =
                status == nil
                ? try StreamStart(api: api, address: address, settings: settings, known: known).sequence(in: found) : 1
            position = Position(sequence: start - 1, tail: found.lastSequence)
            floor = max(0, found.firstSequence - 1)
            quotedEpoch = quoted(ByteString(found.epoch))
            announce(found, &lines)
        }
        (status, hasOneSubject) = (found, found.hasOneSubject)
        let made = try PullConsumer(api, stream: found.name, filter: address.filter, from: start)
        counts.consumerCount += 1
        position.pendingCount = made.pendingCount
        consumer = made
        tails = TailRound(at: .now)
        noteEnd()
    }

    /// Drops the consumer after an error; ``prepare(_:)`` creates another one.
    mutating func forgetConsumer() { consumer = nil }

    /// Deletes the consumer and ends the connection.
    mutating func end() {
        do throws(JetStreamError) {
            if isConnected { try consumer?.end() }
        } catch {
            // The server deletes an unused consumer by itself.
        }
        consumer = nil
        connection = nil
    }

    /// Waits for messages, and appends their lines.
    ///
    /// - Parameter timeout: How long to wait for the first message, in milliseconds.
    /// - Throws: ``JetStreamError``; the consumer is then lost.
    mutating func read(timeout: Int64, _ lines: inout StreamLines) throws {
        guard consumer != nil else { return }
        hasCheckedFirst = false
        let deadline = ContinuousClock.now + StreamReader.gatheringTime
        var timeout = timeout
        while lines.count < StreamReader.lineByteCountMax, !isCaughtUp {
            // The consumer is moved out while its messages are used, because the closure mutates this value, too.
            guard var current = consumer.take() else { return }
            let isAny = try current.receive(timeout: timeout) { message, place throws(JetStreamError) in
                try append(message, place, &lines)
                noteEnd()
                return lines.count < StreamReader.lineByteCountMax && !isCaughtUp
            }
            consumer = current
            noteEnd()
            if isAny {
                timeout = 0
            } else if lines.isEmpty {
                if subscription?.waitingCount ?? 0 == 0 { return appendTails(at: .now, &lines) }
            } else {
                // More messages are arriving. Passing lines to the engine together costs less, and one pause while they
                // collect costs less than a wait for each.
                guard position.pendingCount > 0, ContinuousClock.now < deadline else { return }
                poll(nil, 0, 1)
            }
        }
    }

    /// Appends the line of a message; a redelivered message is counted and dropped.
    mutating func append(
        _ message: NatsMessageView, _ place: DeliveryPlace, _ lines: inout StreamLines
    ) throws(JetStreamError) {
        counts.byteCount += Int64(message.bytes.count)
        guard place.sequence > position.sequence else {
            counts.redeliveryCount += 1
            return
        }
        counts.messageCount += 1
        if place.sequence > position.sequence + 1 { try noteSkip(place.sequence, &lines) }
        position.sequence = place.sequence
        position.pendingCount = place.pendingCount
        guard let index = logs.place(of: message.subject) else { return }
        let quotedLibrary = logs[index].quoted
        if settings.numbering == .body {
            lines.append(.producer) { bytes in
                StreamMessageLine.append(
                    message.bytes, at: MessagePlace(quotedLibrary: quotedLibrary, numbers: nil), to: &bytes)
            }
            return
        }
        if logs[index].needsReset {
            lines.append(.reader) {
                StreamMessageLine.appendReset(quotedLibrary, quotedEpoch: quotedEpoch, to: &$0)
            }
            logs[index].needsReset = false
        }
        let lastRead = logs[index].lastRead
        var previous = max(floor, lastRead)
        if hasOneSubject {
            previous = place.sequence - 1
        } else if lastRead <= lastSkip, let named = message.lastOfSubject, named > previous, named < place.sequence {
            // Looking up a header costs as much as everything else, and adds nothing if no sequence was skipped.
            previous = named
        }
        let numbers = MessagePlace.Numbers(sequence: place.sequence, previous: previous, quotedEpoch: quotedEpoch)
        lines.append(.log) { bytes in
            StreamMessageLine.append(
                message.bytes, at: MessagePlace(quotedLibrary: quotedLibrary, numbers: numbers), to: &bytes)
        }
        logs[index].lastRead = place.sequence
    }

    /// Handles skipped sequences before a message: checks whether they were removed from the beginning of the stream.
    ///
    /// In streams with other subjects skipped sequences are usual; the check then runs once for all messages of a read.
    private mutating func noteSkip(_ sequence: Int64, _ lines: inout StreamLines) throws(JetStreamError) {
        lastSkip = sequence - 1
        let isUsual = status.map { $0.subjects != [address.filter] } ?? true
        guard settings.numbering == .stream, !(isUsual && hasCheckedFirst), let connection else { return }
        hasCheckedFirst = true
        let found = try JetStreamAPI(connection: connection).status(of: address.stream)
        // A recreated stream numbers its messages anew: reading starts over at its beginning, with this message.
        guard found.epoch == status?.epoch else {
            throw JetStreamError(.timedOut, "the stream was made anew", advice: "try again")
        }
        noteFirst(of: found, &lines)
    }

    /// Announces to the cache, after a stream was found, which sequences each library has lost, or that its log begins
    /// anew.
    private func announce(_ found: StreamStatus, _ lines: inout StreamLines) {
        guard settings.numbering == .stream else { return }
        for library in known where address.scope.contains(library.library) {
            let epoch = library.epoch.description
            if epoch == found.epoch {
                guard let cursor = library.cursor?.rawValue, cursor < floor else { continue }
                tell(library.library, last: floor, &lines)
            } else if epoch.hasPrefix("\(found.name)@") {
                lines.append(.reader) {
                    StreamMessageLine.appendReset(quoted(library.library), quotedEpoch: quotedEpoch, to: &$0)
                }
            }
        }
    }

    /// Announces to the cache the messages that were removed from the stream's beginning before they were read.
    private mutating func noteFirst(of found: StreamStatus, _ lines: inout StreamLines) {
        let last = found.firstSequence - 1
        guard settings.numbering == .stream, last > position.sequence, last > floor else { return }
        floor = last
        var cursors: [ByteString: Int64] = [:]
        for library in logs.read { cursors[library] = logs.lastRead(of: library) }
        for library in known where address.scope.contains(library.library) {
            guard library.epoch.description == found.epoch, let cursor = library.cursor?.rawValue else { continue }
            cursors[library.library] = max(cursors[library.library] ?? 0, cursor)
        }
        for (library, cursor) in cursors.sorted(by: { $0.key < $1.key }) where cursor < last {
            tell(library, last: last, &lines)
        }
    }

    /// Appends a heartbeat with the last sequence of a library.
    private func tell(_ library: ByteString, last: Int64, _ lines: inout StreamLines) {
        lines.append(.reader) {
            StreamMessageLine.appendHeartbeat(quoted(library), quotedEpoch: quotedEpoch, last: last, to: &$0)
        }
    }

    /// Appends a heartbeat for each library whose last message was not read although the consumer has nothing left.
    /// Each call looks up a few libraries, when it is time to.
    ///
    /// The consumer reports how much it has still to deliver, but not whether it skipped a message.
    mutating func appendTails(at now: ContinuousClock.Instant, _ lines: inout StreamLines) {
        guard settings.numbering == .stream, position.pendingCount == 0, let connection, let status,
            status.allowsDirectGets
        else { return }
        // The round is moved out, because its closure reads this value.
        var round = tails
        let places = round.next(at: now) { readPlaces(of: status.epoch) }
        tails = round
        let api = JetStreamAPI(connection: connection)
        do throws(JetStreamError) {
            for place in places {
                let last = try api.lastMessage(of: address.subject(of: place.library), in: status.name)
                // A server that lags behind its leader may respond with an older sequence.
                guard let last, last > max(place.sequence, logs.lastRead(of: place.library)) else { continue }
                tell(place.library, last: last, &lines)
            }
        } catch {
            // Reading does not depend on these lookups. A lost server shows by its silence; the next consumer starts a
            // new round.
            counts.errorCount += 1
            tails.end()
        }
    }

    /// Returns the cache's libraries that this process reads, with their last sequences.
    private func readPlaces(of epoch: String) -> [TailRound.Place] {
        var places = logs.read.map { TailRound.Place(library: $0, sequence: logs.lastRead(of: $0)) }
        let read = Set(places.map(\.library))
        for library in known
        where library.epoch.description == epoch && address.scope.contains(library.library)
            && !read.contains(library.library)
        {
            places.append(TailRound.Place(library: library.library, sequence: library.cursor?.rawValue ?? 0))
        }
        return places
    }

    private mutating func noteEnd() {
        guard settings.endsCaughtUp else { return }
        isCaughtUp = position.pendingCount == 0 || position.sequence >= position.tail
    }
}

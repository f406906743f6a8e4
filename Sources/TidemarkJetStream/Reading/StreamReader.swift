import Tidemark
import TidemarkModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The reader of a stream: turns its messages into lines of events, in order, each once.
///
/// The reader follows the stream through reconnects, elections and lost consumers: whatever happens, it makes a
/// consumer behind the last message that it read. Used by one thread, which may wait.
struct StreamReader {
    /// The position of a reader.
    struct Position: Equatable {
        /// The number of the last message that was read; 0 before the first.
        var sequence: Int64 = 0
        /// The messages that were not read yet, as the server said last.
        var pendingCount: Int64 = 0
        /// The number of the last message of the stream when reading began.
        var tail: Int64 = 0
    }

    /// The bytes of lines that are made at once.
    static let lineByteCountMax = 512 << 10
    /// The time for which lines are gathered while the server has more.
    private static let gatheringTime = Duration.milliseconds(20)

    private let address: JetStreamAddress
    private let settings: ReadingSettings
    private let known: [LibraryStatus]
    private var logs: LibraryLogs
    private var connection: NatsConnection?
    private var consumer: PullConsumer?
    /// The stream when the consumer was made.
    private var status: StreamStatus?
    /// Whether that stream has one subject without a wildcard.
    private var hasOneSubject = false
    private var quotedEpoch: [UInt8] = []
    private(set) var position = Position()
    /// Counts of messages; those of connections are added by ``statistics``.
    private var counts = FeedStatistics()
    /// The connections that were made, and the reconnects of those that have ended.
    private var connectionCount: Int64 = 0
    private var pastReconnectCount: Int64 = 0
    /// The number before the first one that reading began with, or that the stream still had: nothing at or below it
    /// comes any more.
    private var floor: Int64 = 0
    /// The last number after which one was left out: messages of others, or removed ones. What was read since has no
    /// gap.
    private var lastSkip: Int64 = 0
    /// The libraries whose last messages are looked up while nothing comes.
    private var tails = TailRound(at: .now)
    /// Whether the beginning of the stream was looked at in this call of ``read(timeout:_:)``.
    private var hasCheckedFirst = false
    /// Whether the end that was wanted is reached.
    private(set) var isCaughtUp = false

    init(_ address: JetStreamAddress, _ settings: ReadingSettings, known: [LibraryStatus]) {
        self.address = address
        self.settings = settings
        self.known = known
        logs = LibraryLogs(
            address, withoutEpoch: Set(known.filter { $0.epoch.bytes.isEmpty && $0.cursor != nil }.map(\.library)))
    }

    /// Whether a server is connected now.
    var isConnected: Bool { connection?.isConnected ?? false }

    /// The epoch of the stream if messages can be deleted from it without a trace; nil when each number shows what is
    /// missing, and before a stream was found.
    var tracelessEpoch: ByteString? {
        guard settings.numbering == .stream, !hasOneSubject, let status else { return nil }
        return ByteString(status.epoch)
    }

    /// The numbers until now.
    var statistics: FeedStatistics {
        var statistics = counts
        statistics.reconnectCount =
            pastReconnectCount + max(0, connectionCount - 1) + (connection?.reconnectCount ?? 0)
        statistics.sequence = position.sequence
        statistics.lag = position.pendingCount
        statistics.isConnected = isConnected
        return statistics
    }

    /// Whether messages were taken from the subscription that are not lines yet.
    var hasTaken: Bool { consumer?.hasTaken ?? false }

    /// The subscription, to see whether messages wait; nil while there is no consumer.
    var subscription: NatsSubscription? { consumer?.subscriptionForCount }

    /// Connects if need be, and makes a consumer if there is none.
    ///
    /// - Parameter lines: Gets the lines that tell the cache what the stream does not have any more.
    /// - Throws: ``JetStreamError``.
    mutating func prepare(_ lines: inout StreamLines) throws(JetStreamError) {
        // libnats gives a connection up when a server refuses its credentials twice; others may be valid by now.
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

    /// Forgets the consumer after an error; ``prepare(_:)`` makes another one.
    mutating func forgetConsumer() { consumer = nil }

    /// Ends the consumer and the connection.
    mutating func end() {
        do throws(JetStreamError) {
            if isConnected { try consumer?.end() }
        } catch {
            // The server removes it by itself.
        }
        consumer = nil
        connection = nil
    }

    /// Waits for messages, and appends their lines.
    ///
    /// - Parameter timeout: The milliseconds to wait for the first one.
    /// - Throws: ``JetStreamError``; then the consumer is lost.
    mutating func read(timeout: Int64, _ lines: inout StreamLines) throws {
        guard consumer != nil else { return }
        hasCheckedFirst = false
        let deadline = ContinuousClock.now + StreamReader.gatheringTime
        var timeout = timeout
        while lines.count < StreamReader.lineByteCountMax, !isCaughtUp {
            // The consumer is taken out while its messages are used: both are parts of this value.
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
                // More is under way: lines that go to the engine together cost less, and so does a pause while they
                // gather than a wait for each.
                guard position.pendingCount > 0, ContinuousClock.now < deadline else { return }
                poll(nil, 0, 1)
            }
        }
    }

    /// Appends the line of a message; one that was read before is dropped.
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
            // Looking for a header costs as much as all else, and says nothing new where no number was left out.
            previous = named
        }
        let numbers = MessagePlace.Numbers(sequence: place.sequence, previous: previous, quotedEpoch: quotedEpoch)
        lines.append(.log) { bytes in
            StreamMessageLine.append(
                message.bytes, at: MessagePlace(quotedLibrary: quotedLibrary, numbers: numbers), to: &bytes)
        }
        logs[index].lastRead = place.sequence
    }

    /// Follows numbers that were left out before a message: were they removed from the beginning of the stream?
    ///
    /// Where other subjects have their numbers in the stream, this is asked once for all messages that are read
    /// together.
    private mutating func noteSkip(_ sequence: Int64, _ lines: inout StreamLines) throws(JetStreamError) {
        lastSkip = sequence - 1
        let isUsual = status.map { $0.subjects != [address.filter] } ?? true
        guard settings.numbering == .stream, !(isUsual && hasCheckedFirst), let connection else { return }
        hasCheckedFirst = true
        let found = try JetStreamAPI(connection: connection).status(of: address.stream)
        // A stream that was made anew has other numbers: this message is read again from its beginning.
        guard found.epoch == status?.epoch else {
            throw JetStreamError(.timedOut, "the stream was made anew", advice: "try again")
        }
        noteFirst(of: found, &lines)
    }

    /// Reports to the cache which numbers each library of a new stream has lost.
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

    /// Reports to the cache the messages that were removed from the stream before they were read.
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

    /// Tells the cache the last number of a library.
    private func tell(_ library: ByteString, last: Int64, _ lines: inout StreamLines) {
        lines.append(.reader) {
            StreamMessageLine.appendHeartbeat(quoted(library), quotedEpoch: quotedEpoch, last: last, to: &$0)
        }
    }

    /// Appends a heartbeat for each library whose last message was not read, though the consumer has no more: looks up
    /// some libraries, when it is time for that.
    ///
    /// The consumer says what it has still to deliver, but not whether it left something out.
    mutating func appendTails(at now: ContinuousClock.Instant, _ lines: inout StreamLines) {
        guard settings.numbering == .stream, position.pendingCount == 0, let connection, let status,
            status.allowsDirectGets
        else { return }
        // The round is taken out: what it asks for is read from this value.
        var round = tails
        let places = round.next(at: now) { readPlaces(of: status.epoch) }
        tails = round
        let api = JetStreamAPI(connection: connection)
        do throws(JetStreamError) {
            for place in places {
                let last = try api.lastMessage(of: address.subject(of: place.library), in: status.name)
                // A server that lags behind may answer with an older one.
                guard let last, last > max(place.sequence, logs.lastRead(of: place.library)) else { continue }
                tell(place.library, last: last, &lines)
            }
        } catch {
            // Reading does not depend on it: a server that is lost shows by its silence, and then a round begins anew.
            counts.errorCount += 1
            tails.end()
        }
    }

    /// The libraries of the cache that this process reads, and how far.
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

import TidemarkModel
import TidemarkStore

/// The decisions of the outbox: which requests wait, which is sent next, and what follows a response.
///
/// Requests of one library and key form a chain. Only the first request of a chain is sent, and of all chains at most
/// ``inFlightCountMax`` at a time, the oldest first. The queue has no clock, disk or server: ``SyncCache`` passes it
/// what they report. Bounded by the pending layers.
///
/// - Source: Protocol/optimistic.md, the outbox.
struct OutboxQueue {
    /// A request to send now.
    struct Start: Hashable {
        var number: Int64
        /// The newer requests that are sent with it; the input of the last one is sent.
        var members: [Int64]
    }

    /// What follows a failed attempt.
    enum Verdict: Hashable {
        /// Nothing: the attempt is over already.
        case ignored
        /// The request is sent again at this time, in milliseconds since 1970.
        case again(at: Int64)
        /// The request has failed for good. The caller stores the failure or, if `discards`, rolls the layer back.
        case failed(discards: Bool)
    }

    enum Phase: Hashable {
        case queued
        case sending
        case waiting(until: Int64)
        case failed
        /// The request is sent with an older one, which has this number.
        case member(of: Int64)
    }

    struct Item {
        var entry: OutboxEntry
        var phase: Phase
        /// The failure of the last attempt; nil when none failed.
        var lastFailure: MutationFailure?
        /// The requests that are sent with this one.
        var members: Set<Int64> = []
    }

    /// The largest number of requests under way: 8.
    static let inFlightCountMax = 8
    /// The largest number of newer requests that are sent with one: 1,000.
    static let memberCountMax = 1_000
    /// The largest size of a group of requests, in bytes of changes and input: a line, 16 MiB, less room for its other
    /// members.
    static let groupByteCountMax = Limits().lineByteCountMax - (64 << 10)

    private(set) var items: [Int64: Item] = [:]
    private var numbers: [ByteString: Int64] = [:]
    private var chains: [OutboxChain.Name: OutboxChain] = [:]
    /// The first requests of chains, by number. An entry that its chain no longer offers is outdated.
    private var ready = ExpiryQueue<OutboxChain.Name>()
    /// The requests that wait for their time. An entry whose request no longer waits for it is outdated.
    private var waits = ExpiryQueue<Int64>()
    /// The chains of removed requests whose attempts are under way, by number. Bounded by ``inFlightCountMax``.
    private var held: [Int64: OutboxChain.Name] = [:]
    private(set) var inFlightCount = 0
    private(set) var isPaused = false
    /// The requests whose status may have changed since ``takeChanged()``.
    private var changed: Set<Int64> = []

    var isEmpty: Bool { items.isEmpty }

    // MARK: Layers

    /// Adds a request, or applies a change of one.
    ///
    /// - Complexity: O(log n) for the newest of its chain, else O(chain).
    mutating func put(_ entry: OutboxEntry) {
        let number = entry.number
        changed.insert(number)
        let sender = entry.sending.sentWith.flatMap { numbers[$0] }.flatMap { items[$0] == nil ? nil : $0 }
        guard var item = items[number] else {
            var item = Item(entry: entry, phase: .queued)
            item.lastFailure = entry.sending.failure
            if let sender {
                item.phase = .member(of: sender)
                items[sender]?.members.insert(number)
            } else if entry.sending.failure != nil {
                item.phase = .failed
            }
            items[number] = item
            numbers[entry.pendingID] = number
            settleInChain(number)
            return
        }
        item.entry = entry
        switch item.phase {
        case .member(let old) where sender != old:
            items[old]?.members.remove(number)
            item.phase = .queued
        case .failed where entry.sending.failure == nil:
            item.phase = .queued
            item.lastFailure = nil
        case .queued, .waiting, .sending, .failed, .member: break
        }
        if let sender, item.phase == .queued {
            item.phase = .member(of: sender)
            items[sender]?.members.insert(number)
        } else if let failure = entry.sending.failure {
            if item.phase == .sending { endFlight(of: item) }
            item.phase = .failed
            item.lastFailure = failure
        }
        items[number] = item
        settleInChain(number)
    }

    /// Removes a request whose layer has settled or was rolled back.
    ///
    /// - Parameter holdsKey: Whether an attempt under way keeps its place in the chain until ``endHeld(_:)``, because
    ///   the server may still be performing the request.
    mutating func remove(_ number: Int64, holdsKey: Bool = false) {
        guard let item = items.removeValue(forKey: number) else { return }
        numbers[item.entry.pendingID] = nil
        changed.remove(number)
        let name = OutboxChain.Name(item.entry)
        if item.phase == .sending {
            if holdsKey { held[number] = name } else { endFlight(of: item) }
        }
        if case .member(let sender) = item.phase { items[sender]?.members.remove(number) }
        chains[name]?.remove(number)
        removeIfIdle(name)
        for member in item.members where items[member]?.phase == .member(of: number) {
            items[member]?.phase = .queued
            changed.insert(member)
            settleInChain(member)
        }
        offer(name)
    }

    /// Ends an attempt whose request was removed while it was under way.
    ///
    /// - Returns: True if the attempt kept its key waiting.
    mutating func endHeld(_ number: Int64) -> Bool {
        guard let name = held.removeValue(forKey: number) else { return false }
        inFlightCount -= 1
        chains[name]?.sending = nil
        removeIfIdle(name)
        offer(name)
        return true
    }

    /// Returns true if the attempt of a removed request keeps its key waiting.
    func isHeld(_ number: Int64) -> Bool { held[number] != nil }

    private mutating func removeIfIdle(_ name: OutboxChain.Name) {
        if chains[name]?.isEmpty == true, chains[name]?.sending == nil { chains[name] = nil }
    }

    /// Adds a request to its chain or removes it, according to its phase, and offers the chain's first request.
    private mutating func settleInChain(_ number: Int64) {
        guard let item = items[number] else { return }
        let name = OutboxChain.Name(item.entry)
        switch item.phase {
        case .member: chains[name]?.remove(number)
        case .failed where item.entry.sending.request.onFailure == .continue: chains[name]?.remove(number)
        case .queued, .sending, .waiting, .failed: chains[name, default: OutboxChain()].insert(number)
        }
        offer(name)
    }

    private mutating func endFlight(of item: Item) {
        inFlightCount -= 1
        chains[OutboxChain.Name(item.entry)]?.sending = nil
    }

    // MARK: Sending

    /// Offers the first request of a chain, if it may be sent.
    private mutating func offer(_ name: OutboxChain.Name) {
        guard let chain = chains[name], chain.sending == nil, let first = chain.first,
            let item = items[first], item.phase == .queued, !item.entry.isBlocked
        else {
            chains[name]?.offered = nil
            return
        }
        guard chain.offered != first else { return }
        chains[name]?.offered = first
        ready.insert(.init(moment: first, target: name))
        guard ready.count > 2 * chains.count + 16 else { return }
        let chains = chains
        ready.keep { chains[$0.target]?.offered == $0.moment }
    }

    /// Returns the next request to send and marks it as under way; nil when none may be sent now.
    ///
    /// - Complexity: O(log n), and O(members).
    mutating func next() -> Start? {
        while !isPaused, inFlightCount < OutboxQueue.inFlightCountMax, let entry = ready.takeFirst() {
            guard chains[entry.target]?.offered == entry.moment else { continue }
            let number = entry.moment
            let members = replaceable(after: number, in: entry.target)
            chains[entry.target]?.offered = nil
            chains[entry.target]?.sending = number
            items[number]?.phase = .sending
            inFlightCount += 1
            changed.insert(number)
            return Start(number: number, members: members)
        }
        return nil
    }

    /// Returns the requests that directly follow one and that its first attempt may include.
    private func replaceable(after number: Int64, in name: OutboxChain.Name) -> [Int64] {
        guard let own = items[number]?.entry, own.sending.request.isReplaceable, own.sending.attemptCount == 0 else {
            return []
        }
        let first = own.sending
        var members: [Int64] = []
        var changesByteCount = own.changesByteCount
        for next in chains[name]?.numbers(after: number) ?? [] where members.count < OutboxQueue.memberCountMax {
            guard let item = items[next], item.phase == .queued, !item.entry.isBlocked,
                item.entry.sending.attemptCount == 0, item.entry.sending.request.isReplaceable,
                item.entry.sending.request.method == first.request.method
            else { break }
            // A line contains the changes of all and the input of the newest.
            changesByteCount += item.entry.changesByteCount
            let byteCount = changesByteCount + item.entry.sending.request.input.count
            guard byteCount <= OutboxQueue.groupByteCountMax else { break }
            members.append(next)
        }
        return members
    }

    /// Returns true if an attempt is still under way.
    func isSending(_ number: Int64, attempt: Int) -> Bool {
        guard let item = items[number] else { return false }
        return item.phase == .sending && item.entry.sending.attemptCount == attempt
    }

    // MARK: Answers

    /// Processes an attempt that brought no confirmation.
    ///
    /// - Parameters:
    ///   - mayRetry: Whether the request may be sent again.
    ///   - random: 64 random bits, for the pause.
    mutating func failed(
        _ number: Int64, attempt: Int, _ failure: MutationFailure, mayRetry: Bool, at now: Int64, random: UInt64
    ) -> Verdict {
        guard isSending(number, attempt: attempt), let item = items[number] else { return .ignored }
        let sending = item.entry.sending
        let failureCount = sending.attemptCount - sending.forgivenCount
        let isSpent =
            sending.request.attemptCountMax.map { failureCount >= $0 } ?? false
            || sending.request.duration.map {
                now.subtractingClamped(sending.firstAttemptAt ?? now) >= $0.wholeMilliseconds
            } ?? false
        items[number]?.lastFailure = failure
        guard mayRetry, !isSpent else { return .failed(discards: sending.request.discardsOnFailure) }
        let moment = now + OutboxBackoff.pause(after: failureCount, random: random)
        wait(number, until: moment)
        return .again(at: moment)
    }

    /// Ends an attempt that could not be sent because the disk failed. It begins again later.
    mutating func postpone(_ number: Int64, attempt: Int, until moment: Int64) {
        guard isSending(number, attempt: attempt) else { return }
        wait(number, until: moment)
    }

    private mutating func wait(_ number: Int64, until moment: Int64) {
        guard let item = items[number] else { return }
        endFlight(of: item)
        items[number]?.phase = .waiting(until: moment)
        changed.insert(number)
        // An older request of the chain may have been queued again during the attempt.
        offer(OutboxChain.Name(item.entry))
        waits.insert(.init(moment: moment, target: number))
        guard waits.count > 2 * items.count + 16 else { return }
        let items = items
        waits.keep { items[$0.target]?.phase == .waiting(until: $0.moment) }
    }

    // MARK: Time and pauses

    /// When to call ``wake(at:)``, in milliseconds since 1970; nil when nothing waits.
    var nextMoment: Int64? { isPaused ? nil : waits.first }

    /// Queues the requests whose time has come.
    mutating func wake(at now: Int64) {
        for entry in waits.takeDue(at: now) where items[entry.target]?.phase == .waiting(until: entry.moment) {
            queue(entry.target)
        }
    }

    /// Stops sending. Attempts under way end as usual.
    mutating func pause() { isPaused = true }

    /// Starts sending again, including requests that wait for their time.
    mutating func resume() {
        isPaused = false
        wake(at: .max)
    }

    /// Queues a request that waits for its time. A failed request is queued by ``put(_:)`` without its failure instead.
    mutating func hurry(_ number: Int64) {
        guard case .waiting? = items[number]?.phase else { return }
        queue(number)
    }

    private mutating func queue(_ number: Int64) {
        guard let item = items[number] else { return }
        items[number]?.phase = .queued
        changed.insert(number)
        offer(OutboxChain.Name(item.entry))
    }

    // MARK: Statuses

    /// Returns the requests whose status may have changed since the last call, ascending, including those that are sent
    /// with one of them.
    mutating func takeChanged() -> [Int64] {
        defer { changed = [] }
        return changed.union(changed.flatMap { items[$0]?.members ?? [] }).sorted()
    }
}

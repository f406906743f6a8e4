import TidemarkModel
import TidemarkStore

@testable import Tidemark

/// A naive outbox: a dictionary of requests, and every question answered by looking at all of them.
struct OutboxModel {
    struct Chain: Hashable {
        var library: ByteString
        var key: ByteString?
    }

    enum Phase: Hashable {
        case queued, sending, failed
        case waiting(Int64)
    }

    struct Request {
        var entry: OutboxEntry
        var phase: Phase
        var chain: Chain { Chain(library: entry.library, key: entry.sending.request.key) }
    }

    private(set) var requests: [Int64: Request] = [:]
    /// The numbers of all requests in order. They are kept, because each question reads them.
    private(set) var numbers: [Int64] = []
    var isPaused = false
    /// The chains that wait for the end of an attempt whose request is gone, by its number.
    var held: [Int64: Chain] = [:]

    var sending: [Int64] { numbers.filter { requests[$0]?.phase == .sending && sender(of: $0) == nil } }
    var failed: [Int64] { numbers.filter { requests[$0]?.phase == .failed && sender(of: $0) == nil } }

    func sender(of number: Int64) -> Int64? {
        guard let name = requests[number]?.entry.sending.sentWith else { return nil }
        return numbers.first { requests[$0]?.entry.pendingID == name }
    }

    func members(of number: Int64) -> [Int64] { numbers.filter { sender(of: $0) == number } }

    mutating func put(_ entry: OutboxEntry) {
        var phase = requests[entry.number]?.phase ?? .queued
        if entry.sending.failure != nil {
            phase = .failed
        } else if phase == .failed {
            phase = .queued
        }
        if requests.updateValue(Request(entry: entry, phase: phase), forKey: entry.number) == nil {
            numbers = requests.keys.sorted()
        }
    }

    mutating func remove(_ number: Int64) {
        if requests.removeValue(forKey: number) != nil { numbers = requests.keys.sorted() }
    }

    mutating func begin(_ number: Int64) { requests[number]?.phase = .sending }

    func next() -> OutboxQueue.Start? {
        let sending = sending
        guard !isPaused, sending.count + held.count < 8 else { return nil }
        let busy = Set(sending.compactMap { requests[$0]?.chain } + held.values)
        let number = numbers.first { number in
            guard let request = requests[number], sender(of: number) == nil else { return false }
            return request.phase == .queued && !request.entry.isBlocked && !busy.contains(request.chain)
                && numbers.first { isInLine($0, request.chain) } == number
        }
        guard let number, let request = requests[number] else { return nil }
        var members: [Int64] = []
        if request.entry.sending.request.isReplaceable, request.entry.sending.attemptCount == 0 {
            var byteCount = request.entry.changesByteCount
            for later in line(request.chain).dropFirst() {
                guard let other = requests[later], other.entry.sending.request.isReplaceable,
                    other.entry.sending.request.method == request.entry.sending.request.method,
                    other.phase == .queued, !other.entry.isBlocked, other.entry.sending.attemptCount == 0
                else { break }
                byteCount += other.entry.changesByteCount
                if byteCount + other.entry.sending.request.input.count > (16 << 20) - (64 << 10) { break }
                members.append(later)
            }
        }
        return OutboxQueue.Start(number: number, members: members)
    }

    /// The requests of a chain that hold back those behind them, in order.
    private func line(_ chain: Chain) -> [Int64] { numbers.filter { isInLine($0, chain) } }

    private func isInLine(_ number: Int64, _ chain: Chain) -> Bool {
        guard let request = requests[number], request.chain == chain, sender(of: number) == nil else { return false }
        return !(request.phase == .failed && request.entry.sending.request.onFailure == .continue)
    }

    mutating func failed(
        _ number: Int64, mayRetry: Bool, at now: Int64, random: UInt64
    ) -> OutboxQueue.Verdict {
        guard let sending = requests[number]?.entry.sending else { return .ignored }
        let tries = sending.attemptCount - sending.forgivenCount
        var isOver = !mayRetry
        if let most = sending.request.attemptCountMax, tries >= most { isOver = true }
        if let most = sending.request.duration?.wholeMilliseconds, now - (sending.firstAttemptAt ?? now) >= most {
            isOver = true
        }
        if isOver { return .failed(discards: sending.request.discardsOnFailure) }
        var limit: UInt64 = 1_000
        for _ in 1..<max(tries, 1) where limit < 300_000 { limit *= 2 }
        let moment = now + Int64(random % (min(limit, 300_000) + 1))
        requests[number]?.phase = .waiting(moment)
        return .again(at: moment)
    }

    mutating func wake(at now: Int64) {
        for (number, request) in requests {
            if case .waiting(let moment) = request.phase, moment <= now { requests[number]?.phase = .queued }
        }
    }

    mutating func resume() {
        isPaused = false
        wake(at: .max)
    }

    mutating func hurry(_ number: Int64) {
        if case .waiting? = requests[number]?.phase { requests[number]?.phase = .queued }
    }

    func status(_ number: Int64) -> OutboxStatus? {
        guard let request = requests[number], let own = requests[sender(of: number) ?? number] else { return nil }
        var status = OutboxStatus(
            pendingID: request.entry.pendingID, library: request.entry.library, state: .queued,
            attempt: own.entry.sending.attemptCount)
        switch own.phase {
        case .queued: status.state = .queued
        case .sending: status.state = .sending
        case .failed: status.state = .failed
        case .waiting(let moment):
            status.state = .waiting
            status.nextAttemptAt = moment
        }
        return status
    }
}

import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import Tidemark

/// A walk of random operations over the queue and the model, which does what the cache does with the queue's decisions.
struct OutboxQueueWalk {
    private var random: SeededGenerator
    private var queue = OutboxQueue()
    private var model = OutboxModel()
    private var now: Int64 = 1_000_000
    private var lastNumber: Int64 = 0
    private let keyCount: Int
    private(set) var startCount = 0
    /// The first difference; nil while there is none.
    private(set) var difference: String?

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        keyCount = random.pick([1, 2, 5, 30])
    }

    mutating func step() {
        switch random.weighted([30, 10, 8, 8, 25, 6, 3, 5, 5, 5]) {
        case 0: add()
        case 1: model.numbers.randomOne(&random).map { remove($0) }
        case 2: unblock()
        case 3: now += Int64(random.below(3_000))
        case 4: answer()
        case 5:
            queue.wake(at: now)
            model.wake(at: now)
        case 6:
            if random.chance(600) {
                queue.resume()
                model.resume()
            } else {
                queue.pause()
                model.isPaused = true
            }
        case 7: retry()
        case 8: endHeld()
        default: model.numbers.randomOne(&random).map { hurry($0) }
        }
        if random.chance(700) { start() }
        compare()
    }

    // MARK: Layers

    private mutating func add() {
        lastNumber += Int64(1 + random.below(3))
        var request = MutationRequest(
            method: random.pick(["m", "m", "n"]), compactInput: Array("\(lastNumber)".utf8))
        request.key = random.chance(200) ? nil : ByteString("k\(random.below(keyCount))")
        request.isReplaceable = random.chance(400)
        request.onFailure = random.chance(300) ? .continue : .stop
        if random.chance(300) { request.attemptCountMax = 1 + random.below(3) }
        if random.chance(200) { request.duration = .milliseconds(random.below(4_000)) }
        put(
            OutboxEntry(
                number: lastNumber, pendingID: ByteString("p\(lastNumber)"), library: random.pick(["", "", "b"]),
                sending: LayerSending(request), isBlocked: random.chance(150),
                // Some groups do not fit into one line.
                changesByteCount: random.chance(200) ? 6 << 20 : 100))
    }

    private mutating func put(_ entry: OutboxEntry) {
        queue.put(entry)
        model.put(entry)
    }

    private mutating func remove(_ number: Int64) {
        // As the cache does: the rest of a group is released first.
        for member in model.members(of: number) {
            guard var entry = model.requests[member]?.entry else { continue }
            entry.sending.sentWith = nil
            put(entry)
        }
        let holds = random.chance(500) && model.sending.contains(number)
        if holds { model.held[number] = model.requests[number]?.chain }
        queue.remove(number, holdsKey: holds)
        model.remove(number)
    }

    private mutating func endHeld() {
        let number = model.held.keys.sorted().randomOne(&random) ?? lastNumber
        let found = queue.endHeld(number)
        let wanted = model.held.removeValue(forKey: number) != nil
        if found != wanted { difference = "the attempt of \(number) kept its key waiting: \(found)" }
    }

    private mutating func unblock() {
        guard var entry = model.numbers.randomOne(&random).flatMap({ model.requests[$0]?.entry }) else { return }
        entry.isBlocked = false
        put(entry)
    }

    // MARK: Sending

    private mutating func start() {
        while true {
            let wanted = model.next()
            let found = queue.next()
            guard found == wanted else {
                difference = "it starts \(String(describing: found)), not \(String(describing: wanted))"
                return
            }
            guard let found, var entry = model.requests[found.number]?.entry else { return }
            startCount += 1
            model.begin(found.number)
            for member in found.members {
                guard var joined = model.requests[member]?.entry else { continue }
                joined.sending.sentWith = entry.pendingID
                put(joined)
            }
            entry.sending.attemptCount += 1
            if entry.sending.firstAttemptAt == nil { entry.sending.firstAttemptAt = now }
            entry.sending.sentWith = nil
            put(entry)
        }
    }

    private mutating func answer() {
        guard let number = model.sending.randomOne(&random), var entry = model.requests[number]?.entry else { return }
        let attempt = entry.sending.attemptCount
        guard random.chance(600) else {
            for settled in [number] + model.members(of: number) {
                queue.remove(settled)
                model.remove(settled)
            }
            return
        }
        let bits = random.next()
        let mayRetry = random.chance(800)
        let failure = MutationFailure(message: "no")
        let late = queue.failed(
            number, attempt: attempt - 1, failure, mayRetry: mayRetry, at: now, random: bits)
        if late != .ignored { difference = "an answer to an earlier attempt is not ignored" }
        let found = queue.failed(number, attempt: attempt, failure, mayRetry: mayRetry, at: now, random: bits)
        let wanted = model.failed(number, mayRetry: mayRetry, at: now, random: bits)
        if found != wanted { difference = "a failure leads to \(found), not \(wanted)" }
        if case .failed = wanted {
            entry.sending.failure = failure
            put(entry)
        }
    }

    private mutating func retry() {
        guard let number = model.failed.randomOne(&random), var entry = model.requests[number]?.entry else { return }
        entry.sending.failure = nil
        entry.sending.forgivenCount = entry.sending.attemptCount
        entry.sending.firstAttemptAt = nil
        put(entry)
    }

    private mutating func hurry(_ number: Int64) {
        queue.hurry(number)
        model.hurry(number)
    }

    // MARK: Comparison

    private mutating func compare() {
        guard difference == nil else { return }
        let found = queue.items.keys.sorted().map { Shown(queue.status($0)) }
        let wanted = model.numbers.map { Shown(model.status($0)) }
        if found != wanted { difference = "the states are \(found), not \(wanted)" }
        let sending = model.sending
        if queue.inFlightCount != sending.count + model.held.count {
            difference = "\(queue.inFlightCount) are in flight, not \(sending.count + model.held.count)"
        }
        let chains = sending.compactMap { model.requests[$0]?.chain } + model.held.values
        if Set(chains).count != chains.count { difference = "two of one chain are in flight: \(sending)" }
    }

    private struct Shown: Hashable, CustomStringConvertible {
        let pendingID: ByteString?
        let state: OutboxStatus.State?
        let attempt: Int?
        let moment: Int64?

        init(_ status: OutboxStatus?) {
            pendingID = status?.pendingID
            state = status?.state
            attempt = status?.attempt
            moment = status?.nextAttemptAt
        }

        var description: String {
            "\(pendingID?.description ?? "-") \(state?.rawValue ?? "-") \(attempt ?? -1) \(moment ?? -1)"
        }
    }
}

extension [Int64] {
    fileprivate func randomOne(_ random: inout SeededGenerator) -> Int64? { isEmpty ? nil : random.pick(self) }
}

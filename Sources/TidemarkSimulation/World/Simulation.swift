import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkTesting

/// One schedule, run: a real cache over a real database, in a world where time, order, network and disk do as a seed says.
///
/// After every input the cache is compared with ``WorldTruth``; at the end all faults stop, and it has to become what the server
/// is. Everything runs on the thread that calls ``run()``.
package final class Simulation {
    static let libraryNames = ["a", "b"]

    package let plan: SimulationPlan
    let traits: SimulationTraits
    let executor: SimulatedExecutor
    let clock: ManualClock
    let server: SimulatedServer
    /// Of what the world decides between inputs.
    var random: SeededGenerator
    /// Lines on their way, by library. Bounded by the inputs.
    var wire: [String: [WireLine]] = [:]
    /// Lines that arrived, the newest.
    var delivered: [WireLine] = []
    /// nil between a crash and the next opening.
    var process: SimulatedProcess?
    var truth: WorldTruth
    /// By library; goes on through crashes.
    var accounts: [String: DeliveryAccount] = [:]
    /// What may be on the disk, oldest first: all that was true since something was acknowledged.
    var snapshots: [(input: Int, truth: WorldTruth)] = []
    /// Jobs that had run when the cache was looked at last.
    private var seenJobCount: UInt64?
    /// What was true while answers of the last look came and no cursor had moved yet: a disk may hold just that.
    var truthOnTheWay: WorldTruth?
    var underway: [Underway] = []
    /// Calls that came to their end since the last look.
    var finished: [Underway] = []
    /// Of the process that runs.
    var subscriptions: [(library: String, query: ServerQuery, id: SubscriptionID)] = []
    var pendingCount = 0
    /// Libraries whose list of everything was stored, and was given no reason to be stale since.
    var fresh: Set<String> = []
    /// What was lost of them by then.
    var lostWhenFresh: [String: [LostRange]] = [:]
    /// Ids that events or edits named, by library.
    var ids: [String: [String]] = [:]
    /// What entities showed last, by library and id.
    var lastShown: [String: [String: Shown]] = [:]
    /// Resources that were read before, by their bytes.
    var parsed: [[UInt8]: ItemFields] = [:]
    /// A disk was made anew, or could not be read: entities may be missing that were never evicted.
    var mayLack = false
    /// The process is being closed: calls that wait hear of it.
    var isClosing = false
    /// A disk was asked to fail.
    var diskMayFail = false
    var digest = SimulationDigest()
    /// The first process is gone.
    package internal(set) var hasCrashed = false
    var current: SimulationInput?
    /// Something that a call came to and that must not be; raised at the next look.
    var noted: SimulationFailure?

    /// - Parameters:
    ///   - crashPoint: Where the first process ends; nil: as the plan says.
    ///   - folder: Where its disks lie; nil: in the system's temporary folder.
    ///   - trace: Told what happens, line by line.
    package init(
        _ plan: SimulationPlan, crashPoint: CrashPoint? = nil, folder: String? = nil,
        trace: ((String) -> Void)? = nil
    ) {
        self.plan = plan
        self.crashPoint = crashPoint
        self.trace = trace
        traits = plan.traits
        parent = folder
        executor = SimulatedExecutor(seed: plan.seed ^ 0x6578_6563)
        clock = ManualClock()
        random = SeededGenerator(seed: plan.seed ^ 0x776F_726C_64)
        var libraries: [String: ServerLibrary] = [:]
        for name in Self.libraryNames {
            libraries[name] = ServerLibrary(name: name, epoch: traits.hasEpochs ? "e0" : nil)
        }
        server = SimulatedServer(libraries: libraries, clock: clock, seed: plan.seed ^ 0x7365_7276)
        let mayBoast = !plan.traits.hasLies
        server.with { $0.mayBoast = mayBoast }
        truth = WorldTruth(libraries: Self.libraryNames)
    }

    let parent: String?
    let crashPoint: CrashPoint?
    let trace: ((String) -> Void)?

    /// Says what upstreams answered since it said so last.
    func traceAnswers() {
        guard let trace else { return }
        server.with { state in
            for line in state.told ?? [] { trace(line) }
            state.told = []
        }
    }

    /// Runs the schedule to its end.
    ///
    /// - Returns: The digest of everything that was seen.
    /// - Throws: ``SimulationFailure``; what the file system said where a disk cannot be made.
    package func run() throws -> SimulationDigest {
        defer { abandon() }
        trace?("\(traits)")
        traceAnswers()
        do {
            snapshots = [(-1, truth)]
            try begin()
            for input in plan.inputs {
                current = input
                trace?("\(input.number) \(input.kind.rawValue)")
                try perform(input)
                try settle(input)
            }
            current = nil
            try end()
        } catch var failure as SimulationFailure {
            failure.input = failure.input ?? current?.number
            throw failure
        }
        return digest
    }

    /// Starts the first process.
    private func begin() throws {
        let folder = try newFolder()
        guard let crashPoint else { return try open(folder) }
        let disk = try FaultDisk(folder: folder.path)
        disk.plan(.stop(crashPoint.moment), at: crashPoint.number, count: .max, seed: plan.seed)
        diskMayFail = true
        try open(folder, on: disk)
        if process?.disk.isStopped == true { try crash(CrashKind(seed: plan.seed)) }
    }

    /// Runs what is ready, and looks at what came of it.
    func settle(_ input: SimulationInput) throws {
        try drain()
        if process?.disk.isStopped == true { try crash(CrashKind(seed: input.seed)) }
        // Where nothing of the cache ran, nothing of it can have changed.
        if executor.jobCount != seenJobCount {
            // What concerns all lists at once is looked at in all of them.
            let concernsAll = [.remove, .rollBack, .invalidate].contains(input.kind)
            try check(isThorough: concernsAll || input.seed % 8 == 0)
            if let truthOnTheWay { snapshots.append((input.number, truthOnTheWay)) }
            truthOnTheWay = nil
            seenJobCount = executor.jobCount
        }
        snapshots.append((input.number, truth))
        digest.mix("\(input.number) \(input.kind.rawValue) \(executor.jobCount) \(clock.now())")
    }

    /// Runs until nothing more can happen without time.
    func drain() throws {
        guard executor.run() else { throw SimulationFailure("it goes round in circles: it never comes to rest") }
        collect()
        if let noted { throw noted }
    }

    /// Lets time pass.
    func wait(milliseconds: Int64) throws {
        let end = clock.now() + milliseconds
        while let next = clock.nextDeadline, next <= end {
            clock.advance(milliseconds: max(0, next - clock.now()))
            try drain()
        }
        clock.advance(milliseconds: end - clock.now())
        try drain()
    }

    /// Lets time pass until something holds.
    ///
    /// - Returns: False when it does not after that time.
    func wait(atMost milliseconds: Int64, until isSo: () throws -> Bool) throws -> Bool {
        let end = clock.now() + milliseconds
        try drain()
        while try !isSo() {
            guard let next = clock.nextDeadline, next <= end else { return false }
            clock.advance(milliseconds: max(0, next - clock.now()))
            try drain()
        }
        return true
    }

    // MARK: Calls

    /// Calls the cache, and runs until nothing is ready.
    func call<Value: Sendable>(_ body: @escaping @Sendable (SyncCache) async -> Value) throws -> Outcome<Value> {
        let outcome = Outcome<Value>()
        guard let cache = process?.cache else { return outcome }
        Task(executorPreference: executor) { outcome.settle(await body(cache)) }
        guard executor.run() else { throw SimulationFailure("it goes round in circles: it never comes to rest") }
        return outcome
    }

    /// A call was made; it may be over already.
    func follow(_ call: Underway) {
        var call = call
        for index in underway.indices {
            let other = underway[index]
            guard call.isWrite && (other.isWrite || other.isDelivery) || call.isDelivery && other.isWrite else {
                continue
            }
            underway[index].isOverlapped = true
            call.isOverlapped = true
        }
        underway.append(call)
        collect()
    }

    /// Takes in the calls that came to their end, in the order they were made.
    func collect() {
        while let place = underway.firstIndex(where: { $0.isDone() }) {
            let call = underway.remove(at: place)
            call.finish(self, !call.isOverlapped)
            finished.append(call)
        }
    }

    /// What was true after an input is on the disk.
    func acknowledge(_ input: Int) {
        guard let place = snapshots.lastIndex(where: { $0.input <= input }), place > 0 else { return }
        snapshots.removeFirst(place)
    }
}

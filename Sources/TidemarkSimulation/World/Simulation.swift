import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkTesting

/// Runs one schedule: a real cache over a real database, in a world where a seed decides time, order, network and disk.
///
/// After every input the cache is compared with ``WorldTruth``. At the end all faults stop, and the cache must reach
/// the server's state. Everything runs on the thread that calls ``run()``.
package final class Simulation {
    static let libraryNames = ["a", "b"]

    /// The schedule.
    package let plan: SimulationPlan
    let traits: SimulationTraits
    let executor: SimulatedExecutor
    let clock: ManualClock
    let server: SimulatedServer
    /// The random numbers for decisions between inputs.
    var random: SeededGenerator
    /// The lines on their way, by library. Bounded by the inputs.
    var wire: [String: [WireLine]] = [:]
    /// The newest lines that arrived.
    var delivered: [WireLine] = []
    /// The running process; nil between a crash and the next opening.
    var process: SimulatedProcess?
    var truth: WorldTruth
    /// What answers in flight must not undo.
    var questions = QuestionTruth()
    /// What was delivered, by library; continues across crashes.
    var accounts: [String: DeliveryAccount] = [:]
    /// The states that may be on disk, oldest first: everything that was true since the last acknowledgement.
    var snapshots: [(input: Int, truth: WorldTruth)] = []
    /// How many jobs had run at the last check.
    private var seenJobCount: UInt64?
    /// The state with the answers since the last check but before any cursor moved: a disk may have exactly this state.
    var truthOnTheWay: WorldTruth?
    /// The state before answers to sent edits settled them at the last check; nil if none did.
    var truthBeforeAnswers: WorldTruth?
    var underway: [Underway] = []
    /// The calls that ended since the last check.
    var finished: [Underway] = []
    /// The subscriptions of the running process.
    var subscriptions: [(library: String, query: ServerQuery, id: SubscriptionID)] = []
    /// The views that ended processes were told are defined.
    var definedViews: Set<ViewSink.Place> = []
    /// The call that gives the running process its views; its error if it failed.
    var viewsUnderway: Outcome<CacheError?>?
    /// The clients of scopes.
    var scopeClients: [ScopeClient] = []
    /// The streams of the running process; nil before it serves scopes.
    var openScope: OpenScope?
    /// The call that begins streams; its result is nil if scopes could not be served.
    var scopesUnderway: Outcome<OpenScope?>?
    var pendingCount = 0
    /// The libraries whose list of all entities was stored and has had no reason to become stale since.
    var fresh: Set<String> = []
    /// The lost ranges of these libraries at that moment.
    var lostWhenFresh: [String: [LostRange]] = [:]
    /// The ids that events or edits named, by library.
    var ids: [String: [String]] = [:]
    /// The last shown state of each entity, by library and id.
    var lastShown: [String: [String: Shown]] = [:]
    /// The fields of resources that were parsed before, by their bytes.
    var parsed: [[UInt8]: ItemFields] = [:]
    /// True if entities may be missing that were never evicted, because a disk was replaced by an empty one or could
    /// not be read.
    var mayLack = false
    /// True while the process is being closed, when waiting calls may fail.
    var isClosing = false
    /// True if a disk was made to fail.
    var diskMayFail = false
    var digest = SimulationDigest()
    /// True if the first process has ended in a crash.
    package internal(set) var hasCrashed = false
    var current: SimulationInput?
    /// The failure that a call found, to be thrown at the next check.
    var noted: SimulationFailure?

    /// Prepares the run of a schedule.
    ///
    /// - Parameters:
    ///   - plan: The schedule.
    ///   - crashPoint: Where the first process ends; nil to follow the plan.
    ///   - folder: The folder of the simulated disks; nil for the system's temporary folder.
    ///   - trace: Called with a description of every step, line by line.
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
        let isRacing = plan.traits.asksRacing
        server.with { state in
            state.mayBoast = mayBoast
            state.questions.isRacing = isRacing
        }
        truth = WorldTruth(libraries: Self.libraryNames)
        scopeClients = Self.scopeClients()
    }

    let parent: String?
    let crashPoint: CrashPoint?
    let trace: ((String) -> Void)?

    /// Traces the upstreams' answers since the last call.
    func traceAnswers() {
        guard let trace else { return }
        server.with { state in
            for line in state.trace ?? [] { trace(line) }
            state.trace = []
        }
    }

    /// Runs the schedule to its end.
    ///
    /// - Returns: The digest of everything that was seen.
    /// - Throws: ``SimulationFailure`` if a law was broken; the error of the file system if a disk cannot be created.
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
                try finish(input)
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
        guard let crashPoint else {
            try open(folder)
            return try startOutbox()
        }
        let disk = try FaultDisk(folder: folder.path)
        disk.plan(.stop(crashPoint.moment), at: crashPoint.number, count: .max, seed: plan.seed)
        diskMayFail = true
        try open(folder, on: disk)
        if process?.disk.isStopped == true { return try crash(CrashKind(seed: plan.seed)) }
        try startOutbox()
    }

    /// Runs the jobs that are ready, and checks the result.
    func finish(_ input: SimulationInput) throws {
        try drain()
        if process?.disk.isStopped == true { try crash(CrashKind(seed: input.seed)) }
        // If no job of the cache ran, the cache cannot have changed.
        if executor.jobCount != seenJobCount {
            // Inputs that concern all lists need a check of all lists.
            let concernsAll = [.remove, .rollBack, .invalidate, .clear].contains(input.kind)
            let mayBring = traits.asksRacing && input.kind == .wait && input.seed % 2 == 0
            try check(isThorough: concernsAll || mayBring || input.seed % 8 == 0)
            if let truthOnTheWay { snapshots.append((input.number, truthOnTheWay)) }
            if let truthBeforeAnswers { snapshots.append((input.number, truthBeforeAnswers)) }
            truthOnTheWay = nil
            truthBeforeAnswers = nil
            seenJobCount = executor.jobCount
        }
        snapshots.append((input.number, truth))
        digest.mix("\(input.number) \(input.kind.rawValue) \(executor.jobCount) \(clock.now())")
    }

    /// Runs until nothing more can happen unless time passes.
    func drain() throws {
        guard executor.run() else { throw SimulationFailure("the tasks never come to rest") }
        collectPosted()
        collect()
        if let noted { throw noted }
    }

    /// Lets time pass, and runs what becomes due.
    func wait(milliseconds: Int64) throws {
        let end = clock.now() + milliseconds
        while let next = clock.nextDeadline, next <= end {
            clock.advance(milliseconds: max(0, next - clock.now()))
            try drain()
        }
        clock.advance(milliseconds: end - clock.now())
        try drain()
    }

    /// Lets time pass until a condition holds.
    ///
    /// - Returns: False if the condition does not hold within that time.
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
        Task(executorPreference: executor) { outcome.set(await body(cache)) }
        guard executor.run() else { throw SimulationFailure("the tasks never come to rest") }
        return outcome
    }

    /// Tracks a call, which may have ended already.
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

    /// Finishes the calls that have ended, in the order in which they were made.
    func collect() {
        while let place = underway.firstIndex(where: { $0.isDone() }) {
            let call = underway.remove(at: place)
            call.finish(self, !call.isOverlapped)
            finished.append(call)
        }
    }

    /// Records that the state after an input is on disk.
    func acknowledge(_ input: Int) {
        guard let place = snapshots.lastIndex(where: { $0.input <= input }), place > 0 else { return }
        snapshots.removeFirst(place)
    }
}

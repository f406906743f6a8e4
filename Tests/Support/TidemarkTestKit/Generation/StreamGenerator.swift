import TidemarkTesting

/// Generates seeded random streams of event lines, each with its clean log.
///
/// Equal seeds and options give equal bytes. Seeds differ not only in events but also in how often each kind of fault
/// occurs; see ``StreamWeights``.
package struct StreamGenerator: Sendable {
    private let options: GeneratedStreamOptions
    private let weights: StreamWeights
    private let resources: ResourceGenerator
    private let writer: SpacedWriter
    private let envelopes: EventWriter
    private let badLines: BadLineGenerator
    private var random: SeededGenerator
    private var logs: [LibraryLog]

    /// The log of one library as its daemon writes it.
    private struct LibraryLog {
        let name: String?
        /// True if the log skips sequences, and every event names its `prev`.
        let isFiltered: Bool
        var last: Int64
        var epoch: String?
    }

    private static let types = ["file", "file", "file", "album", "tag", "entry", "a", "a-b", "a.b", "T_9"]

    /// Creates a generator.
    package init(seed: UInt64, options: GeneratedStreamOptions = GeneratedStreamOptions()) {
        var random = SeededGenerator(seed: seed)
        let weights = StreamWeights(random: &random)
        let writer = SpacedWriter(whiteSpace: weights.whiteSpace)
        let names: [String?] = ["7d2f1c64-9a4e-4c0b-8d8e-2f6a1b3c4d5e", "B\u{E9}ta \"2\"", nil, "gamma", "delta"]
        let libraryCount = 1 + random.below(min(options.libraryCountMax, names.count))
        let hasEpochNames = options.hasEpochs && random.chance(700)
        logs = names.prefix(libraryCount).map { name in
            LibraryLog(
                name: name, isFiltered: random.chance(weights.filtered), last: Int64(random.below(3)) * 500,
                epoch: hasEpochNames ? "e0" : nil)
        }
        self.options = options
        self.weights = weights
        self.writer = writer
        resources = ResourceGenerator(ids: IdentifierPool(random: &random), writer: writer)
        envelopes = EventWriter(writer: writer)
        badLines = BadLineGenerator(options: options)
        self.random = random
    }

    /// Returns a stream. A second call continues the logs where the first one ended.
    package mutating func generate() -> GeneratedStream {
        var clean: [GeneratedLine] = []
        while clean.count < options.lineCount { clean.append(nextLine()) }
        var log: [UInt8] = []
        for line in clean where line.isLogged { log += line.bytes + [0x0A] }
        var lines: [[UInt8]] = clean.map(\.bytes)
        if options.hasFaults { lines = FaultInjector(weights: weights).spoil(lines, &random) }
        var stream: [UInt8] = random.chance(100) ? [0xEF, 0xBB, 0xBF] : []
        for (index, line) in lines.enumerated() {
            stream += line
            let isLast = index == lines.count - 1
            if isLast && random.chance(200) { break }
            stream += random.chance(weights.carriageReturn) ? [0x0D, 0x0A] : [0x0A]
        }
        return GeneratedStream(stream: stream, log: log)
    }

    private mutating func nextLine() -> GeneratedLine {
        let index = random.below(logs.count)
        if random.chance(weights.noise) { return GeneratedLine(bytes: noise(), isLogged: false) }
        if options.hasBadLines, random.chance(weights.bad) { return badLine(index) }
        if options.hasEpochs, random.chance(weights.anew) { return beginAnew(index) }
        let form = EventWriter.Form(rawValue: random.weighted(weights.forms)) ?? .flatEvent
        if options.hasUnsequenced, random.chance(weights.unsequenced) {
            let fields = EventWriter.Fields(library: logs[index].name)
            let (name, payload) = kind(index)
            return GeneratedLine(
                bytes: Array(envelopes.line(name, payload, fields, form, &random).utf8), isLogged: false)
        }
        let fields = step(index)
        let (name, payload) = kind(index)
        return GeneratedLine(bytes: Array(envelopes.line(name, payload, fields, form, &random).utf8), isLogged: true)
    }

    /// Advances a log to its next sequence, and returns its envelope fields.
    private mutating func step(_ index: Int) -> EventWriter.Fields {
        let previous = logs[index].last
        let isFiltered = logs[index].isFiltered
        logs[index].last += isFiltered ? Int64(1 + random.below(4)) : 1
        return EventWriter.Fields(
            library: logs[index].name, sequence: logs[index].last, previous: isFiltered ? previous : nil,
            epoch: random.chance(800) ? logs[index].epoch : nil)
    }

    private mutating func kind(_ index: Int) -> (String, String?) {
        let type = SpacedWriter.string(random.pick(Self.types))
        switch random.weighted(weights.kinds) {
        case 0, 1, 2: return ("ResourceChanged", change(type, hasMetadata: false))
        case 3, 4: return ("ResourceChanged", change(type, hasMetadata: true))
        case 5:
            let name = random.pick(["ResourceBatchChanged", "ResourceChangedBatch", "BatchChanged"])
            return (name, batch(type))
        case 6:
            let payload = writer.object([("resource_type", type), ("resource_id", resources.id(&random))], &random)
            return (random.pick(["ResourceDeleted", "Deleted"]), payload)
        case 7:
            let payload = writer.object([("resource_type", type), ("hints", "{\"location_id\":\"l\"}")], &random)
            return (random.pick(["BulkOperationCompleted", "BulkOperation"]), payload)
        case 8:
            guard options.hasHeartbeats, random.chance(400) else { return ("Refresh", random.chance(500) ? nil : "{}") }
            return ("Heartbeat", "{\"last_sequence\":\(logs[index].last)}")
        default: return (random.pick(["JobQueued", "CoreStarted", "Custom"]), random.chance(500) ? nil : "{\"a\":[1]}")
        }
    }

    private mutating func change(_ type: String, hasMetadata: Bool) -> String {
        var members = [("resource_type", type), ("resource", resources.resource(&random))]
        if hasMetadata { members.append(("metadata", resources.metadata(&random))) }
        if !hasMetadata, random.chance(300) { members.append(("metadata", "null")) }
        return writer.object(members, &random)
    }

    private mutating func batch(_ type: String) -> String {
        let elements = (0..<random.below(5)).map { _ in
            options.hasBadLines && random.chance(weights.bad)
                ? random.pick(["{}", "7", "{\"id\":\"\"}"]) : resources.resource(&random)
        }
        var members = [("resource_type", type), ("resources", writer.array(elements, &random))]
        if random.chance(300) { members.append(("operation", random.pick(["\"Index\"", "\"WatcherBatch\"", "null"]))) }
        if random.chance(400) { members.append(("metadata", resources.metadata(&random))) }
        return writer.object(members, &random)
    }

    private mutating func noise() -> [UInt8] {
        Array(
            random.pick([
                "", " \t", "\"Pong\"", "\"Subscribed\"", "{\"JsonOk\":{\"a\":1}}", "{\"LogMessage\":null}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}]",
                "[ ]", "[3,{\"jsonrpc\":1}]", "\"CoreStarted\"", "{\"Event\":\"CoreShutdown\"}",
            ]).utf8)
    }

    /// Returns a bad line. Half of the time it replaces an event, which the log then lacks.
    private mutating func badLine(_ index: Int) -> GeneratedLine {
        var head = logs[index].name.map { "\"library_id\":\(SpacedWriter.string($0))," } ?? "\"library_id\":null,"
        if random.chance(500), let sequence = step(index).sequence { head += "\"sequence\":\(sequence)," }
        return GeneratedLine(bytes: badLines.line(head: head, &random), isLogged: false)
    }

    /// Begins the log of a library anew, with or without a `Reset` that announces it.
    private mutating func beginAnew(_ index: Int) -> GeneratedLine {
        logs[index].last = Int64(random.below(20))
        guard logs[index].epoch != nil else {
            let payload = "{\"last_sequence\":\(logs[index].last)}"
            let fields = EventWriter.Fields(library: logs[index].name)
            return GeneratedLine(
                bytes: Array(envelopes.line("Heartbeat", payload, fields, .flatEvent, &random).utf8), isLogged: false)
        }
        let epoch = "e\(random.below(1_000_000))"
        logs[index].epoch = epoch
        let fields = random.chance(500) ? step(index) : EventWriter.Fields(library: logs[index].name)
        let payload = writer.object([("epoch", SpacedWriter.string(epoch))], &random)
        let line = envelopes.line("Reset", payload, fields, .flatEvent, &random)
        return GeneratedLine(bytes: Array(line.utf8), isLogged: false)
    }
}

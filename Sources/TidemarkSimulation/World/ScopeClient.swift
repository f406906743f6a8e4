import Tidemark
import TidemarkReferenceModel

/// A client of a scope, as the protocol describes one: it outlives the processes of the server, checks the numbers of
/// its lines, and applies units when they are whole.
struct ScopeClient {
    let library: String
    let scope: SimulatedScope
    /// What the client shows, by id.
    private(set) var shown: [String: ItemFields] = [:]
    private(set) var epoch: String?
    /// The number behind the last whole unit; nil before the end of the first state.
    private(set) var lastWhole: UInt64?
    /// The number of the last line.
    private var last: UInt64?
    /// The lines of a unit that goes on.
    private var held: [ReferenceJSON] = []
    /// The ids of the state that is being sent; nil outside of one.
    private var state: Set<String>?

    init(library: String, scope: SimulatedScope) {
        self.library = library
        self.scope = scope
    }

    /// The connection ends: lines of a unit or of a state that is not whole count for nothing.
    mutating func disconnect() {
        held = []
        last = lastWhole
    }

    /// Receives a line.
    ///
    /// - Throws: ``SimulationFailure`` for a line that the client must not be sent.
    mutating func receive(_ line: [UInt8]) throws {
        do {
            try receive(try ReferenceJSONParser.parse(line))
        } catch {
            throw SimulationFailure(
                "the client of \(scope) of \(library): \(error) in \(String(decoding: line, as: UTF8.self)) (P15)")
        }
    }

    private mutating func receive(_ json: ReferenceJSON) throws {
        guard let envelope = json.member("envelope"), let event = json.member("event") else {
            throw SimulationFailure("no event")
        }
        let sequence = Self.number(envelope.member("sequence"))
        if event.member("Reset") != nil {
            guard sequence == 0, event.member("Reset")?.member("state") == .bool(true) else {
                throw SimulationFailure("a Reset without a state")
            }
            guard epoch != Self.text(envelope.member("epoch")) else { throw SimulationFailure("the same epoch again") }
            epoch = Self.text(envelope.member("epoch"))
            (last, lastWhole, held, state) = (0, nil, [], [])
            return
        }
        guard epoch == Self.text(envelope.member("epoch")) else { throw SimulationFailure("an epoch without a state") }
        guard let sequence else {
            let told = Self.number(event.member("Heartbeat")?.member("last_sequence"))
            guard told == last else { throw SimulationFailure("a heartbeat that is not at \(last ?? 0)") }
            return
        }
        guard Self.number(envelope.member("prev")) == last, sequence > last ?? 0 else {
            throw SimulationFailure("a gap behind \(last ?? 0)")
        }
        last = sequence
        held.append(event)
        if envelope.member("more") == .bool(true) { return }
        for event in held { try apply(event) }
        held = []
        lastWhole = sequence
    }

    private mutating func apply(_ event: ReferenceJSON) throws {
        if let changed = event.member("ResourceChanged") {
            try write(changed.member("resource"))
        } else if let batch = event.member("ResourceBatchChanged") {
            for resource in batch.member("resources")?.elements ?? [] { try write(resource) }
        } else if let deleted = event.member("ResourceDeleted") {
            let id = Self.text(deleted.member("resource_id"))
            guard shown.removeValue(forKey: id) != nil else { throw SimulationFailure("it never had \(id)") }
        } else if event.member("Heartbeat") != nil, let state {
            shown = shown.filter { state.contains($0.key) }
            self.state = nil
        } else {
            throw SimulationFailure("an event of another kind")
        }
    }

    private mutating func write(_ resource: ReferenceJSON?) throws {
        var fields = ItemFields()
        for member in resource?.members ?? [] {
            let name = String(decoding: member.key.unescaped, as: UTF8.self)
            if name != "id" { fields.values[name] = String(decoding: member.value.written, as: UTF8.self) }
        }
        let sent = scope == .plain ? ["n", "t"] : ["t"]
        guard fields.values.keys.allSatisfy(sent.contains) else { throw SimulationFailure("a hidden member") }
        if scope == .plain, !["1", "1.0", "2", "3"].contains(fields.values["n"] ?? "") {
            throw SimulationFailure("an entity outside the scope")
        }
        let id = Self.text(resource?.member("id")).lowercased()
        state?.insert(id)
        shown[id] = fields
    }

    private static func text(_ json: ReferenceJSON?) -> String {
        String(decoding: json?.unescaped ?? [], as: UTF8.self)
    }

    private static func number(_ json: ReferenceJSON?) -> UInt64? {
        json?.integerText.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }
}

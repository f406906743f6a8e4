import TidemarkModel
import TidemarkReferenceModel
import TidemarkViews

/// A client as the protocol describes one: it checks the numbers of its lines, holds a unit until it is whole, and
/// folds what it is sent.
package struct FoldingClient: Sendable {
    package let instance: ScopeOracle.Instance
    package let subject: String
    /// What the client shows.
    package private(set) var shown: [ViewKey: String] = [:]
    package private(set) var epoch: String?
    /// The number of the last line.
    package private(set) var last: UInt64?
    /// The number behind the last whole unit.
    package private(set) var lastWhole: UInt64?
    package private(set) var library: String?
    /// The edits that were settled.
    package private(set) var settled: [String] = []
    package private(set) var bye: String?
    /// The states that were begun.
    package private(set) var stateCount = 0
    private var held: [ReferenceJSON] = []
    /// The entities that were written since the state was begun; nil outside of one.
    private var written: Set<ViewKey>?
    /// The entities of the last unit, to find one that is sent twice.
    private var unit: Set<ViewKey> = []
    /// The last key of the state, by which its order is checked.
    private var lastKey: ViewKey?
    /// The markers that the client may see: those of what its scope showed since it was caught up.
    package var allowed: Set<Int> = []
    /// True while the client had everything before the present step: then nothing is sent that did not change.
    package var isLive = false
    package var problems: [String] = []
    /// What its scope shows at the moment, for units that begin.
    package var visible: [ViewKey: String] = [:]
    /// What its scope showed when the present unit or state began.
    private var expected: [ViewKey: String]?

    package init(_ instance: ScopeOracle.Instance, subject: String) {
        self.instance = instance
        self.subject = subject
    }

    /// True if the client shows a whole state.
    package var isWhole: Bool { written == nil && held.isEmpty && lastWhole != nil }

    /// The connection ends: lines of a unit that is not whole are dropped.
    package mutating func disconnect() {
        held = []
        unit = []
        bye = nil
    }

    /// The client asks for what is behind a number, and continues from there.
    package mutating func goBack(to number: UInt64) { last = number }

    /// The client was answered 403, or its scope is gone: it drops everything.
    package mutating func drop() {
        let (settled, problems) = (settled, problems)
        self = FoldingClient(instance, subject: subject)
        (self.settled, self.problems) = (settled, problems)
    }

    // MARK: Lines

    /// Receives a line.
    ///
    /// - Parameter isEnd: True if the server says that it is the last one.
    package mutating func receive(_ line: [UInt8], isEnd: Bool) {
        search(line)
        do {
            try receive(try ReferenceJSONParser.parse(line), line, isEnd: isEnd)
        } catch {
            problems.append("\(error) in \(text(line))")
        }
    }

    /// Searches bytes that were written to the client, whether it gets them or not, for what it may not see.
    package mutating func search(_ bytes: [UInt8]) {
        let leaked = Marker.all(in: bytes).subtracting(allowed)
        if !leaked.isEmpty { problems.append("markers \(leaked.sorted()) leak in \(text(bytes))") }
    }

    private func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }

    private mutating func receive(_ json: ReferenceJSON, _ line: [UInt8], isEnd: Bool) throws {
        if let reason = json.member("bye")?.member("reason") {
            bye = string(reason)
            if !isEnd { problems.append("a bye that is no end") }
            return
        }
        guard let envelope = json.member("envelope"), let event = json.member("event") else {
            return problems.append("no line: \(text(line))")
        }
        if library != nil, library != string(envelope.member("library_id")) { problems.append("another library") }
        library = string(envelope.member("library_id"))
        let sequence = number(envelope.member("sequence"))
        if let reset = event.member("Reset") {
            return beginState(envelope, sequence, isState: reset.member("state") == .bool(true))
        }
        if epoch != string(envelope.member("epoch")) { problems.append("an epoch without a Reset: \(text(line))") }
        guard let sequence else {
            let told = number(event.member("Heartbeat")?.member("last_sequence"))
            if told == nil || told != last { problems.append("a heartbeat of \(told ?? 0) at \(last ?? 0)") }
            return
        }
        if number(envelope.member("prev")) != last { problems.append("a gap at \(text(line)) behind \(last ?? 0)") }
        if sequence <= last ?? 0 { problems.append("\(sequence) is not above \(last ?? 0)") }
        last = sequence
        if held.isEmpty, written == nil { expected = visible }
        held.append(json)
        guard envelope.member("more") != .bool(true) else { return }
        for json in held { apply(json) }
        held = []
        unit = []
        lastWhole = sequence
        // A unit that was broken off ends as of the present. Empty batches settle edits between units.
        guard written == nil, event.member("ResourceBatchChanged")?.member("resources")?.elements?.isEmpty != true
        else {
            return
        }
        if shown != expected, shown != visible { problems.append("\(text(line)) ends a mixture of two moments") }
    }

    private mutating func beginState(_ envelope: ReferenceJSON, _ sequence: UInt64?, isState: Bool) {
        if !isState || sequence != 0 { problems.append("a Reset without a state") }
        if epoch == string(envelope.member("epoch")) { problems.append("a state in the same epoch") }
        epoch = string(envelope.member("epoch"))
        last = 0
        lastWhole = nil
        held = []
        unit = []
        written = []
        expected = visible
        lastKey = nil
        stateCount += 1
    }

    private mutating func apply(_ json: ReferenceJSON) {
        let event = json.member("event") ?? .null
        if let id = json.member("envelope")?.member("mutation_id") { settled.append(string(id)) }
        if let changed = event.member("ResourceChanged") {
            write(changed, changed.member("resource"))
        } else if let batch = event.member("ResourceBatchChanged") {
            for resource in batch.member("resources")?.elements ?? [] { write(batch, resource) }
        } else if let deleted = event.member("ResourceDeleted") {
            let key = ViewKey(
                type: ByteString(string(deleted.member("resource_type"))),
                id: ByteString(string(deleted.member("resource_id"))))
            // After a delivery that was broken off, its departures are repeated in the same unit.
            let isFirst = unit.insert(key).inserted
            if shown.removeValue(forKey: key) == nil, isFirst {
                problems.append("a delete of \(key.text), which it never had")
            }
        } else if event.member("Heartbeat") != nil, let written {
            shown = shown.filter { written.contains($0.key) }
            self.written = nil
        } else {
            problems.append("an unknown event: \(event.description)")
        }
    }

    private mutating func write(_ payload: ReferenceJSON, _ resource: ReferenceJSON?) {
        guard let resource, let id = resource.member("id") else { return problems.append("a resource without an id") }
        let key = ViewKey(type: ByteString(string(payload.member("resource_type"))), id: ByteString(string(id)))
        let text = String(decoding: resource.written, as: UTF8.self)
        if written != nil {
            if let lastKey, lastKey >= key { problems.append("\(key.text) is out of order") }
            lastKey = key
            written?.insert(key)
        } else if isLive, shown[key] == text {
            problems.append("\(key.text) is sent and did not change")
        }
        note(key)
        shown[key] = text
    }

    private mutating func note(_ key: ViewKey) {
        if !unit.insert(key).inserted { problems.append("\(key.text) is sent twice in one unit") }
    }

    private func string(_ value: ReferenceJSON?) -> String {
        String(decoding: value?.unescaped ?? Array((value?.description ?? "").utf8), as: UTF8.self)
    }

    private func number(_ value: ReferenceJSON?) -> UInt64? {
        value?.integerText.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }
}

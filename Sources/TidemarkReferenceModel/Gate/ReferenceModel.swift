/// Tidemark's handling of a stream, written so that reading the code convinces: the oracle for the cache.
///
/// It keeps everything in dictionaries and arrays, has no clock, and reconciles in one step: where the rules require a
/// request to the upstream, it reads the upstream's log at once, and declares every sequence that is not in it lost at
/// once. A reorder window ends only at the end of input.
///
/// ```swift
/// var model = ReferenceModel(configuration: ReferenceConfiguration())
/// let kind = #"{"ResourceDeleted":{"resource_type":"file","resource_id":"f1"}}"#
/// model.ingest(Array(#"{"sequence":1,"event":\#(kind)}"#.utf8))
/// model.endOfInput()
/// print(model.summary.counts.applied, model.summary.entities)
/// ```
///
/// - Source: Protocol/.
package struct ReferenceModel: Sendable {
    /// The settings.
    package private(set) var configuration: ReferenceConfiguration
    /// The entities and tombstones; they survive a restart.
    package internal(set) var store = ReferenceStore()
    /// The state of each library; it survives a restart, except for held events, holes and tails.
    package internal(set) var libraries: [[UInt8]: ReferenceLibrary] = [:]
    /// The counters of the current run.
    package internal(set) var counts = ReferenceCounts()
    /// The newest records, oldest first; they survive a restart. At most `quarantineCountMax`.
    package internal(set) var quarantine: [ReferenceQuarantineRecord] = []
    /// The lines of the upstream's log that name a sequence, in order; nil without an upstream.
    private(set) var upstream: [ReferenceUpstreamLine]?
    /// True while an upstream's answer is being applied; there is one at a time.
    var isReconciling = false

    /// Creates an empty model.
    package init(configuration: ReferenceConfiguration) {
        self.configuration = configuration
        upstream = configuration.upstream.map { Self.lines(of: $0, configuration) }
    }

    /// Applies a whole stream.
    ///
    /// - Parameter stream: Any bytes. Gaps stay open until ``endOfInput()``.
    package mutating func ingest(_ stream: [UInt8]) {
        let decoder = ReferenceDecoder(configuration: configuration)
        for line in ReferenceFraming.lines(of: stream) {
            counts.lines += 1
            switch decoder.decode(line.bytes) {
            case .blank: counts.blank += 1
            case .control: counts.control += 1
            case .message: counts.messages += 1
            case .rejected(let rejection): reject(rejection, at: line.place)
            case .event(let event):
                let offer = ReferenceOffer(
                    event: event, place: line.place, byteCount: line.bytes.count, origin: .stream)
                accept(offer)
            }
        }
    }

    /// Closes every gap: from the upstream if there is one, otherwise by declaring it lost.
    package mutating func endOfInput() {
        for id in libraries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            reconcile(id)
        }
    }

    /// Closes and opens the model: cursors, lost ranges and entities stay; held events are dropped; counters and line
    /// numbers start over.
    package mutating func restart() {
        for id in libraries.keys {
            libraries[id]?.held = []
            libraries[id]?.unit = []
            libraries[id]?.unitPosition = nil
            libraries[id]?.holes = []
            libraries[id]?.tail = nil
        }
        counts = ReferenceCounts()
    }

    /// Returns a model that continues from this one after a restart, with another configuration.
    package func restarted(with configuration: ReferenceConfiguration) -> ReferenceModel {
        var next = self
        next.configuration = configuration
        next.upstream = configuration.upstream.map { Self.lines(of: $0, configuration) }
        next.restart()
        next.heal()
        return next
    }

    /// Passes a usable event of the stream to the gate.
    private mutating func accept(_ offer: ReferenceOffer) {
        let id = offer.event.library
        if libraries[id] == nil {
            if offer.event.sequence != nil || offer.event.kind.opensLibrary {
                guard open(id) else {
                    record(.tooManyLibraries, offer)
                    return
                }
            } else {
                // Without a library, a refresh or an unknown kind has nothing to change.
                count(offer)
                return
            }
        }
        admitOrHold(offer)
        if upstream != nil, let library = libraries[id], let tail = library.tail, tail > library.reached ?? tail {
            reconcile(id)
        }
    }

    /// Records an unusable line, and a hole if the line names a sequence.
    private mutating func reject(_ rejection: ReferenceLineError, at place: ReferencePlace) {
        counts.quarantined += 1
        keep(
            ReferenceQuarantineRecord(
                place: place, reason: rejection.reason, library: rejection.library, sequence: rejection.sequence))
        guard let id = rejection.library, let sequence = rejection.sequence, open(id) else { return }
        noteHole(id, sequence, epoch: rejection.epoch)
    }

    private mutating func record(_ reason: ReferenceReason, _ offer: ReferenceOffer) {
        counts.quarantined += 1
        keep(
            ReferenceQuarantineRecord(
                place: offer.place, reason: reason, library: offer.event.library, sequence: offer.event.sequence))
    }

    /// Keeps a record, and removes the oldest one past the limit.
    mutating func keep(_ record: ReferenceQuarantineRecord) {
        quarantine.append(record)
        if quarantine.count > configuration.quarantineCountMax { quarantine.removeFirst() }
    }

    /// Creates a library if it does not exist.
    ///
    /// - Returns: False if there would be too many.
    private mutating func open(_ id: [UInt8]) -> Bool {
        if libraries[id] != nil { return true }
        guard libraries.count < configuration.libraryCountMax else { return false }
        libraries[id] = ReferenceLibrary()
        return true
    }
}

import TidemarkModel

/// The fields that were written while answers were on their way.
///
/// An answer leaves them as they are, and stores its other fields. At most ``countMax`` are remembered; when more are
/// written, nothing is known of the fields of the writes until then.
struct FieldWrites {
    /// The origin of a write, which decides what it wins over.
    enum Origin {
        /// A request of the host: it wins over every answer that was asked for before.
        case request
        /// The answer to a mutation: it wins over every answer to a question that was asked before it came, and over
        /// that of a mutation which was sent before.
        case mutation
        /// The answer to a question: it wins over one that was asked for before.
        case question
    }

    private struct Write {
        var ordinal: Int64
        /// Names joined by a zero byte.
        var path: ByteString
        var origin: Origin
        /// The number of the question that it answers.
        var question: Int64
        /// The place in the log that it stands for; nil when it is not known.
        var place: EventSequence?
    }

    /// An answer that is about to be stored.
    struct Answer {
        /// The ordinal when it was asked for.
        var start: Int64
        var question: Int64
        var isMutation: Bool
        /// The place in the log that it stands for; nil when it is not known.
        var place: EventSequence?
    }

    /// The number of fields that are remembered: 32,768.
    static let countMax = 32_768

    private var writes: [StoredKey: [Write]] = [:]
    private var count = 0
    /// The number of writes so far.
    private(set) var ordinal: Int64 = 0
    /// The ordinal up to which writes were forgotten.
    private var forgotten: Int64 = 0

    mutating func append(
        _ key: StoredKey, _ paths: [ByteString], _ origin: Origin, question: Int64, place: EventSequence? = nil
    ) {
        ordinal += 1
        guard count + paths.count <= FieldWrites.countMax else {
            clear()
            forgotten = ordinal
            return
        }
        count += paths.count
        writes[key, default: []] += paths.map {
            Write(ordinal: ordinal, path: $0, origin: origin, question: question, place: place)
        }
    }

    /// Returns the paths of an entity that win over an answer; nil when some writes since it was asked for were
    /// forgotten.
    func paths(of key: StoredKey, over answer: Answer) -> Set<ByteString>? {
        guard forgotten <= answer.start else { return nil }
        guard let writes = writes[key] else { return [] }
        return Set(writes.lazy.filter { $0.ordinal > answer.start && FieldWrites.wins($0, over: answer) }.map(\.path))
    }

    /// Tells whether the answer to a later question wrote the entity for a higher place in the log.
    ///
    /// - Complexity: O(remembered fields of the entity).
    func hasQuestion(of key: StoredKey, after question: Int64, past place: EventSequence) -> Bool {
        writes[key]?.contains { write in
            guard write.origin == .question, write.question > question, let own = write.place else { return false }
            return own > place
        } ?? false
    }

    private static func wins(_ write: Write, over answer: Answer) -> Bool {
        switch write.origin {
        case .request: return true
        case .mutation: return !answer.isMutation || write.question > answer.question
        case .question:
            if answer.isMutation { return false }
            // A higher place in the log is newer; at one place, or where one is not known, what was asked for later is.
            if let own = write.place, let other = answer.place, own != other { return own > other }
            return write.question > answer.question
        }
    }

    /// Notes that the places of a library's log have no meaning any more, because it began anew.
    mutating func endLog(of library: LibraryIndex) {
        for key in writes.keys where key.library == library {
            for index in writes[key, default: []].indices { writes[key]?[index].place = nil }
        }
    }

    /// Forgets everything, because no answer is awaited.
    mutating func clear() {
        writes.removeAll(keepingCapacity: true)
        count = 0
    }
}

extension CacheState {
    /// Remembers which fields of an entity a request of the host set.
    ///
    /// - Parameter fields: The fields; nil for all of the resource.
    mutating func noteRequestedWrite(of key: StoredKey, _ resource: [UInt8], fields: [ByteString]?) {
        guard isAwaitingAnswers else { return }
        fieldWrites.append(
            key, fields ?? resource.withUnsafeBytes { JSONObject.fieldNames(of: $0) }, .request,
            question: questionCount)
    }
}

import TidemarkJSON
import TidemarkModel

/// The fields that were written while responses were on their way.
///
/// A response leaves them as they are, and stores its other fields. At most ``countMax`` are remembered. When there are
/// more, all are forgotten, and the fields of earlier writes are then unknown.
struct FieldWrites {
    /// What made a write, which decides over which responses it wins.
    enum Origin {
        /// A request of the host. It wins over every response to a request that was made before.
        case request
        /// The response to a mutation. It wins over every response to a request that was made before it arrived, and
        /// over that of a mutation that was sent before.
        case mutation
        /// The response to a query. It wins over that of a request that was made before.
        case question
    }

    private struct Write {
        var ordinal: Int64
        /// The path of the field: names joined by a zero byte.
        var path: ByteString
        var origin: Origin
        /// The number of the request that was answered.
        var question: Int64
        /// The position in the log of the value; nil if unknown.
        var place: EventSequence?
    }

    /// A response that is about to be stored.
    struct Answer {
        /// The ordinal when its request was made.
        var start: Int64
        var question: Int64
        var isMutation: Bool
        /// The position in the log of the response; nil if unknown.
        var place: EventSequence?
    }

    /// The most fields that are remembered: 32,768.
    static let countMax = 32_768

    private var writes: [StoredKey: [Write]] = [:]
    private var count = 0
    /// How many writes there were so far.
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

    /// Returns the paths of an entity whose values win over a response; nil if writes since its request may have been
    /// forgotten.
    func paths(of key: StoredKey, over answer: Answer) -> Set<ByteString>? {
        guard forgotten <= answer.start else { return nil }
        guard let writes = writes[key] else { return [] }
        return Set(writes.lazy.filter { $0.ordinal > answer.start && FieldWrites.wins($0, over: answer) }.map(\.path))
    }

    /// Returns true if the response to a later request wrote the entity for a higher position in the log.
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
            // A higher position is newer. At equal or unknown positions, the later request is.
            if let own = write.place, let other = answer.place, own != other { return own > other }
            return write.question > answer.question
        }
    }

    /// Forgets the positions of a library, because its log was replaced.
    mutating func endLog(of library: LibraryIndex) {
        for key in writes.keys where key.library == library {
            for index in writes[key, default: []].indices { writes[key]?[index].place = nil }
        }
    }

    /// Forgets everything, because no response is awaited.
    mutating func clear() {
        writes.removeAll(keepingCapacity: true)
        count = 0
    }
}

extension CacheState {
    /// Remembers which fields of an entity a request of the host wrote.
    ///
    /// - Parameter fields: The fields; nil for all of the resource.
    mutating func noteRequestedWrite(of key: StoredKey, _ resource: [UInt8], fields: [ByteString]?) {
        guard isAwaitingAnswers else { return }
        fieldWrites.append(
            key, fields ?? resource.withUnsafeBytes { JSONObject.fieldNames(of: $0) }, .request,
            question: questionCount)
    }
}

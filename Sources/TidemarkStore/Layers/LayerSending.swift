import TidemarkModel

/// The request of a layer and the progress of sending it, as far as the journal has it.
public struct LayerSending: Hashable, Sendable {
    public var request: MutationRequest
    /// The number of attempts that were begun. An attempt is counted on the disk before it is sent.
    public var attemptCount = 0
    /// The attempts that do not count toward the request's limit: those before a fresh start that the host asked for,
    /// and those that ended without an answer or a failure, because the session ended or the disk failed.
    public var forgivenCount = 0
    /// Whether an attempt is under way. The journal never has one: in its records the attempt does not count until it
    /// has failed.
    package private(set) var isUnderWay = false
    /// The time of the first attempt that counts, in milliseconds since 1970; nil before it.
    public var firstAttemptAt: Int64?
    /// The reason why the request failed for good; nil while it is sent, or waits to be.
    public var failure: MutationFailure?
    /// The pending id of the older layer whose request has this layer's input; nil: the layer sends its own.
    public var sentWith: ByteString?

    public init(_ request: MutationRequest) {
        self.request = request
    }

    /// The number of bytes that count toward the bound on layers.
    package var byteCount: Int {
        let failure = failure.map { 32 + $0.message.bytes.count + ($0.code?.bytes.count ?? 0) } ?? 0
        return 64 + request.byteCount + failure + (sentWith?.bytes.count ?? 0)
    }

    /// The request as the journal has it: an attempt that is under way does not count, so that it is repeated when the
    /// session ends before its answer.
    var recorded: LayerSending {
        var sending = self
        sending.endUnanswered()
        return sending
    }

    /// Begins one more attempt.
    mutating func begin(at now: Int64) {
        endUnanswered()
        if attemptCount == forgivenCount { firstAttemptAt = now }
        attemptCount += 1
        isUnderWay = true
    }

    /// Ends an attempt that failed: it counts.
    mutating func fail() { isUnderWay = false }

    private mutating func endUnanswered() {
        if isUnderWay { forgivenCount += 1 }
        isUnderWay = false
    }

    /// Removes the failure, so that the request is sent again with all its attempts.
    mutating func startAfresh() {
        failure = nil
        isUnderWay = false
        forgivenCount = attemptCount
        firstAttemptAt = nil
    }

    // MARK: Temporary ids

    /// The ids in the input at the places of temporary ids, canonical.
    ///
    /// - Complexity: O(input · places).
    var namedIDs: Set<ByteString> {
        Set(places.compactMap { place in LayerSending.id(request.input[place]) })
    }

    /// Replaces an id in the input.
    ///
    /// - Parameters:
    ///   - temporary: The temporary id, canonical.
    ///   - json: The real id as a JSON value.
    mutating func rename(_ temporary: ByteString, to json: [UInt8]) {
        // Places may be within one another; those that hold the id are not.
        let named = places.filter { LayerSending.id(request.input[$0]) == temporary }
        // From the last to the first, so that the earlier ones stay where they are.
        for place in named.sorted(by: { $0.lowerBound > $1.lowerBound }) {
            request.input.replaceSubrange(place, with: json)
        }
    }

    /// The ranges in the input that the pointers name, each once.
    private var places: Set<Range<Int>> {
        request.input.withUnsafeBytes { bytes in
            Set(
                request.temporaryIDs.compactMap { text in
                    do throws(MembershipError) {
                        return try RulePointer(text.bytes).value(in: bytes)
                    } catch {
                        // The pointers of a request are checked when it is made; a forged file may hold others.
                        return nil
                    }
                })
        }
    }

    /// Returns a value as an id; nil when it is neither a string nor an integer.
    private static func id(_ json: ArraySlice<UInt8>) -> ByteString? {
        if json.withUnsafeBytes({ CompactJSON.isInteger($0) }) { return ByteString(Array(json)) }
        return JSONSlice(compact: json).text.map { EntityKey.canonicalID(ByteString($0)) }
    }
}

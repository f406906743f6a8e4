import TidemarkJSON
import TidemarkModel

/// The request of a layer and how far its sending is, as a journal stores them.
///
/// ```swift
/// let request = MutationRequest(method: "photo.rename", input: ["id": "42", "name": "Dawn"])
/// var sending = LayerSending(request)
/// sending.attemptCount = 1
/// ```
public struct LayerSending: Hashable, Sendable {
    /// The request that the cache sends for the layer.
    public var request: MutationRequest
    /// How many attempts were begun. An attempt is counted on disk before it is sent.
    public var attemptCount = 0
    /// How many attempts do not count toward the request's limit: those before the host asked to retry, and those that
    /// ended without an answer or a failure, because the session ended or the disk failed.
    public var forgivenCount = 0
    /// True while an attempt is under way. In a journal's records, such an attempt counts as forgiven until it fails.
    package private(set) var isUnderWay = false
    /// When the first attempt that counts was begun, in milliseconds since 1970; nil before it.
    public var firstAttemptAt: Int64?
    /// Why the request failed for good; nil while it is sent or waits to be sent.
    public var failure: MutationFailure?
    /// The pending id of the older layer that sends this layer's input; nil if the layer sends its own.
    public var sentWith: ByteString?

    /// Creates the state of a request that was never sent.
    public init(_ request: MutationRequest) {
        self.request = request
    }

    /// How many bytes the request counts toward the bound on layers.
    package var byteCount: Int {
        let failure = failure.map { 32 + $0.message.bytes.count + ($0.code?.bytes.count ?? 0) } ?? 0
        return 64 + request.byteCount + failure + (sentWith?.bytes.count ?? 0)
    }

    /// The state as a journal stores it. An attempt under way does not count, so that it is repeated if the session
    /// ends before its answer.
    var recorded: LayerSending {
        var sending = self
        sending.endUnanswered()
        return sending
    }

    /// Begins another attempt.
    mutating func begin(at now: Int64) {
        endUnanswered()
        if attemptCount == forgivenCount { firstAttemptAt = now }
        attemptCount += 1
        isUnderWay = true
    }

    /// Ends the attempt under way as failed; it counts.
    mutating func fail() { isUnderWay = false }

    private mutating func endUnanswered() {
        if isUnderWay { forgivenCount += 1 }
        isUnderWay = false
    }

    /// Clears the failure, so that the request is sent again with all the attempts that it allows.
    mutating func startAfresh() {
        failure = nil
        isUnderWay = false
        forgivenCount = attemptCount
        firstAttemptAt = nil
    }

    // MARK: Temporary ids

    /// The canonical ids that the input has at the places of temporary ids.
    ///
    /// - Complexity: O(input · places).
    var namedIDs: Set<ByteString> {
        Set(places.compactMap { place in LayerSending.id(request.input[place]) })
    }

    /// Replaces a temporary id in the input, at all places that hold it.
    ///
    /// - Parameters:
    ///   - temporary: The temporary id, canonical.
    ///   - json: The real id as a JSON value.
    mutating func rename(_ temporary: ByteString, to json: [UInt8]) {
        // Places may contain one another, but those that hold an id do not.
        let named = places.filter { LayerSending.id(request.input[$0]) == temporary }
        // From the last place to the first, so that the ranges of the earlier ones stay valid.
        for place in named.sorted(by: { $0.lowerBound > $1.lowerBound }) {
            request.input.replaceSubrange(place, with: json)
        }
    }

    /// The ranges in the input that the request's pointers name, each once.
    private var places: Set<Range<Int>> {
        request.input.withUnsafeBytes { bytes in
            Set(
                request.temporaryIDs.compactMap { text in
                    do throws(MembershipError) {
                        return try RulePointer(text.bytes).value(in: bytes)
                    } catch {
                        // The pointers of a request are checked when it is made, but those in a forged file are not.
                        return nil
                    }
                })
        }
    }

    /// Returns a value as a canonical id; nil if it is neither a string nor an integer.
    private static func id(_ json: ArraySlice<UInt8>) -> ByteString? {
        if json.withUnsafeBytes({ CompactJSON.isInteger($0) }) { return ByteString(Array(json)) }
        return JSONSlice(compact: json).text.map { EntityKey.canonicalID(ByteString($0)) }
    }
}

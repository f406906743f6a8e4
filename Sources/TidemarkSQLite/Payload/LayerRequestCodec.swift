import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Which optional parts the request of a layer has, at the end of the content of ``LayerBodyCodec``.
///
/// - Source: docs/data-file.md, the body of a layer.
private struct LayerRequestParts: OptionSet {
    let rawValue: UInt8

    static let key = LayerRequestParts(rawValue: 1 << 0)
    static let attemptLimit = LayerRequestParts(rawValue: 1 << 1)
    static let duration = LayerRequestParts(rawValue: 1 << 2)
    static let replaceable = LayerRequestParts(rawValue: 1 << 3)
    static let continues = LayerRequestParts(rawValue: 1 << 4)
    static let discards = LayerRequestParts(rawValue: 1 << 5)
    static let failed = LayerRequestParts(rawValue: 1 << 6)
    static let sentWith = LayerRequestParts(rawValue: 1 << 7)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ sending: LayerSending) {
        self = []
        if sending.request.key != nil { insert(.key) }
        if sending.request.attemptCountMax != nil { insert(.attemptLimit) }
        if sending.request.duration != nil { insert(.duration) }
        if sending.request.isReplaceable { insert(.replaceable) }
        if sending.request.onFailure == .continue { insert(.continues) }
        if sending.request.discardsOnFailure { insert(.discards) }
        if sending.failure != nil { insert(.failed) }
        if sending.sentWith != nil { insert(.sentWith) }
    }
}

extension LayerBodyCodec {
    static func append(_ sending: LayerSending, to bytes: inout [UInt8]) {
        let request = sending.request
        bytes.append(LayerRequestParts(sending).rawValue)
        append(request.method.bytes, to: &bytes)
        append(request.input, to: &bytes)
        if let key = request.key { append(key.bytes, to: &bytes) }
        if let attemptCountMax = request.attemptCountMax { PayloadCodec.append(attemptCountMax, to: &bytes) }
        if let duration = request.duration { append(fixed: duration.wholeMilliseconds, to: &bytes) }
        append(request.temporaryIDs, to: &bytes)
        PayloadCodec.append(sending.attemptCount, to: &bytes)
        PayloadCodec.append(sending.forgivenCount, to: &bytes)
        append(fixed: sending.firstAttemptAt ?? noMoment, to: &bytes)
        if let failure = sending.failure {
            append(failure.code?.bytes ?? [], to: &bytes)
            append(failure.message.bytes, to: &bytes)
        }
        if let sender = sending.sentWith { append(sender.bytes, to: &bytes) }
    }

    /// The stored time of the first attempt for a request without an attempt that counts.
    fileprivate static let noMoment = Int64.min

    private static func append(fixed value: Int64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
}

extension LayerBodyReader {
    /// Reads the request of a layer.
    ///
    /// - Throws: ``PayloadError``; `.notJSON` for an input that is not compact JSON.
    mutating func sending() throws(PayloadError) -> LayerSending {
        let parts = LayerRequestParts(rawValue: try byte())
        let method = ByteString(try run())
        let input = Array(try run())
        guard CompactJSON.isValue(input) else { throw .notJSON }
        var request = MutationRequest(method: method, compactInput: input)
        if parts.contains(.key) { request.key = ByteString(try run()) }
        if parts.contains(.attemptLimit) { request.attemptCountMax = try number() }
        if parts.contains(.duration) { request.duration = .milliseconds(try fixed()) }
        request.temporaryIDs = try names()
        request.isReplaceable = parts.contains(.replaceable)
        request.onFailure = parts.contains(.continues) ? .continue : .stop
        request.discardsOnFailure = parts.contains(.discards)
        var sending = LayerSending(request)
        sending.attemptCount = try number()
        sending.forgivenCount = try number()
        let moment = try fixed()
        if moment != LayerBodyCodec.noMoment { sending.firstAttemptAt = moment }
        guard StoredNumber.isMoment(sending.firstAttemptAt ?? 0),
            0...StoredNumber.max ~= request.duration?.wholeMilliseconds ?? 0,
            sending.forgivenCount <= sending.attemptCount
        else { throw .lengthMismatch }
        if parts.contains(.failed) {
            let code = ByteString(try run())
            sending.failure = MutationFailure(
                code: code.bytes.isEmpty ? nil : code, message: ByteString(try run()))
        }
        if parts.contains(.sentWith) { sending.sentWith = ByteString(try run()) }
        return sending
    }
}

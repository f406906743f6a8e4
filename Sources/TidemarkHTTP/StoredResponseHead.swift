import TidemarkHTTPRules
import TidemarkModel

/// The head of a stored response, with everything that decides when it is served.
struct StoredResponseHead: Hashable, Sendable {
    var head: StoredHead
    var variant: Variant
    /// The entities that were made of the body; nil if none were.
    var normalized: Normalized?
    /// The URL that sent the response, after redirects; nil in a head of the first format.
    var url: ByteString?

    /// Which entities were made of a body.
    struct Normalized: Hashable, Sendable {
        /// The member `normalize` of the request, in canonical form.
        var spec: [UInt8]
        /// The position in the log at which the entities were stored; nil if unknown.
        var asOf: EventSequence?
    }

    /// The formats that can be read. The first had no URL; the current one ends with it.
    private static let formatVersions: ClosedRange<UInt8> = 1...2

    /// The head as it is stored in a row.
    var bytes: [UInt8] {
        var writer = HeadWriter()
        let versions = StoredResponseHead.formatVersions
        writer.bytes.append(url == nil ? versions.lowerBound : versions.upperBound)
        writer.number(Int64(head.head.status))
        writer.run(head.head.reason.bytes)
        writer.number(head.requestedAt)
        writer.number(head.answeredAt)
        writer.number(head.byteCount)
        writer.number(Int64(head.head.fields.fields.count))
        for field in head.head.fields.fields {
            writer.run(field.name.bytes)
            writer.run(field.value.bytes)
        }
        writer.run(variant.credentials.bytes)
        writer.number(Int64(variant.names.count))
        for (name, value) in zip(variant.names, variant.values) {
            writer.run(name.bytes)
            writer.run(value.bytes)
        }
        writer.number(normalized == nil ? 0 : 1)
        if let normalized {
            writer.run(normalized.spec)
            writer.number(normalized.asOf?.rawValue ?? -1)
        }
        if let url { writer.run(url.bytes) }
        return writer.bytes
    }

    init(head: StoredHead, variant: Variant, normalized: Normalized?, url: HTTPURL) {
        self.url = url.text
        self.head = head
        self.variant = variant
        self.normalized = normalized
    }

    /// Reads a head from a row.
    ///
    /// - Returns: nil if the bytes are damaged.
    init?(bytes: [UInt8]) {
        var reader = HeadReader(bytes: bytes)
        guard let version = reader.byte(), StoredResponseHead.formatVersions ~= version, let status = reader.number(),
            100...999 ~= status, let reason = reader.run(), let requestedAt = reader.number(),
            let answeredAt = reader.number(),
            let byteCount = reader.number(), let fieldCount = reader.number(),
            0...Int64(HeaderFields.countMax) ~= fieldCount
        else { return nil }
        var fields = HeaderFields()
        for _ in 0..<fieldCount {
            guard let name = reader.run(), let value = reader.run() else { return nil }
            fields.fields.append(.init(ByteString(name), ByteString(value)))
        }
        guard let credentials = reader.run().flatMap({ SHA256Digest(bytes: $0) }), let nameCount = reader.number(),
            0...Int64(Vary.countMax) ~= nameCount
        else { return nil }
        var names: [ByteString] = []
        var values: [SHA256Digest] = []
        for _ in 0..<nameCount {
            guard let name = reader.run(), let value = reader.run().flatMap({ SHA256Digest(bytes: $0) }) else {
                return nil
            }
            names.append(ByteString(name))
            values.append(value)
        }
        guard let hasNormalized = reader.number() else { return nil }
        if hasNormalized == 1 {
            guard let spec = reader.run(), let asOf = reader.number() else { return nil }
            normalized = Normalized(spec: spec, asOf: asOf < 0 ? nil : EventSequence(asOf))
        }
        if version > StoredResponseHead.formatVersions.lowerBound {
            guard let run = reader.run() else { return nil }
            url = ByteString(run)
        }
        head = StoredHead(
            head: ResponseHead(status: Int(status), reason: ByteString(reason), fields: fields),
            requestedAt: requestedAt, answeredAt: answeredAt, byteCount: byteCount)
        variant = Variant(credentials: credentials, names: names, values: values)
    }
}

/// Writes numbers as eight bytes, little endian, and runs of bytes preceded by their length.
private struct HeadWriter {
    var bytes: [UInt8] = []

    mutating func number(_ value: Int64) { withUnsafeBytes(of: value.littleEndian) { bytes += $0 } }

    mutating func run(_ run: [UInt8]) {
        number(Int64(run.count))
        bytes += run
    }
}

/// Reads what ``HeadWriter`` wrote; each method returns nil if the bytes end early.
private struct HeadReader {
    let bytes: [UInt8]
    private var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func number() -> Int64? {
        guard bytes.count - offset >= 8 else { return nil }
        defer { offset += 8 }
        return bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Int64.self)) }
    }

    mutating func run() -> [UInt8]? {
        guard let count = number(), count >= 0, count <= bytes.count - offset else { return nil }
        defer { offset += Int(count) }
        return Array(bytes[offset..<(offset + Int(count))])
    }
}

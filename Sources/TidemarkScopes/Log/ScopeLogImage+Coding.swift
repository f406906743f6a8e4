import TidemarkModel
import TidemarkViews

/// Stored logs: a whole image, and behind it what changed, each as bytes of its own.
extension ScopeLogImage {
    /// The version of the form, the first byte.
    private static let version: UInt8 = 1

    /// The image as bytes. Whoever stores them adds a checksum.
    package var encoded: [UInt8] {
        var writer = ImageWriter(bytes: [ScopeLogImage.version, isWhole ? 1 : 0])
        writer.append(identity)
        writer.append(head.rawValue)
        writer.append(reserved?.rawValue ?? 0)
        writer.append(horizon.rawValue)
        writer.append(UInt32(unknown.count))
        for range in unknown {
            writer.append(range.lowerBound.rawValue)
            writer.append(range.upperBound.rawValue)
        }
        writer.append(UInt32(members.count))
        for member in members {
            writer.append(member.key)
            writer.append(member.entered.rawValue)
            writer.append(member.changed.rawValue)
            writer.append(UInt32(truncatingIfNeeded: member.checksum >> 32))
            writer.append(UInt32(truncatingIfNeeded: member.checksum))
        }
        writer.append(UInt32(stays.count))
        for (key, stay) in stays {
            writer.append(key)
            writer.append(stay.entered.rawValue)
            writer.append(stay.left.rawValue)
            writer.append(UInt32(stay.reason.rawValue))
            writer.append(UInt32(truncatingIfNeeded: stay.second >> 32))
            writer.append(UInt32(truncatingIfNeeded: stay.second))
        }
        return writer.bytes
    }

    /// Reads ``encoded``; nil if the bytes are something else.
    package init?(encoded: [UInt8]) {
        guard encoded.count > 2, encoded[0] == ScopeLogImage.version, encoded[1] <= 1 else { return nil }
        isWhole = encoded[1] == 1
        var reader = ImageReader(rest: encoded[2...])
        guard let identity = reader.bytes(), let head = reader.position(), let reserved = reader.position(),
            let horizon = reader.position(), let unknownCount = reader.number()
        else { return nil }
        (self.identity, self.head, self.horizon) = (identity, head, horizon)
        self.reserved = reserved.rawValue == 0 ? nil : reserved
        for _ in 0..<unknownCount {
            guard let first = reader.position(), let last = reader.position(), first <= last else { return nil }
            unknown.append(first...last)
        }
        (members, stays) = ([], [])
        guard let memberCount = reader.number() else { return nil }
        for _ in 0..<memberCount {
            guard let key = reader.key(), let entered = reader.position(), let changed = reader.position(),
                let checksum = reader.long()
            else { return nil }
            members.append(Member(key: key, entered: entered, changed: changed, checksum: checksum))
        }
        guard let stayCount = reader.number() else { return nil }
        for _ in 0..<stayCount {
            guard let key = reader.key(), let entered = reader.position(), let left = reader.position(),
                let reason = reader.number().flatMap({ DepartureReason(rawValue: UInt8(truncatingIfNeeded: $0)) }),
                let second = reader.long()
            else { return nil }
            let stay = PresenceHistory.Stay(
                entered: entered, left: left, reason: reason, second: Int64(bitPattern: second))
            stays.append((key, stay))
        }
        guard reader.rest.isEmpty else { return nil }
    }

    /// Joins a whole image and what was stored behind it, in the order in which it was stored.
    ///
    /// - Returns: nil if a part is missing or belongs to another log.
    package init?(whole: ScopeLogImage, changes: some Sequence<ScopeLogImage>) {
        guard whole.isWhole else { return nil }
        self = whole
        var members = Dictionary(whole.members.map { ($0.key, $0) }) { $1 }
        for change in changes {
            guard !change.isWhole, change.identity == identity, change.head >= head else { return nil }
            for (key, stay) in change.stays where members[key]?.entered == stay.entered { members[key] = nil }
            for member in change.members { members[member.key] = member }
            (head, reserved, horizon, unknown) = (change.head, change.reserved, change.horizon, change.unknown)
            stays += change.stays
        }
        stays.removeAll { $0.stay.left <= horizon }
        self.members = members.values.sorted { $0.key < $1.key }
    }

    /// The image with members of which nobody knows what was sent last, so that each counts as changed.
    package var withoutChecksums: ScopeLogImage {
        var image = self
        image.members = members.map { Member(key: $0.key, entered: $0.entered, changed: $0.changed, checksum: 0) }
        return image
    }
}

/// Writes numbers of four bytes, the highest first, and bytes behind their count.
private struct ImageWriter {
    var bytes: [UInt8]

    mutating func append(_ number: UInt32) {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }

    mutating func append(_ other: [UInt8]) {
        append(UInt32(other.count))
        bytes += other
    }

    mutating func append(_ key: ViewKey) {
        append(key.type.bytes)
        append(key.id.bytes)
    }
}

/// Reads what ``ImageWriter`` wrote; nil past the end.
private struct ImageReader {
    var rest: ArraySlice<UInt8>

    mutating func number() -> UInt32? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func long() -> UInt64? {
        guard let high = number(), let low = number() else { return nil }
        return UInt64(high) << 32 | UInt64(low)
    }

    mutating func position() -> ScopePosition? { number().map { ScopePosition($0) } }

    mutating func bytes() -> [UInt8]? {
        guard let count = number(), rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    mutating func key() -> ViewKey? {
        guard let type = bytes(), let id = bytes() else { return nil }
        return ViewKey(type: ByteString(type), id: ByteString(id))
    }
}

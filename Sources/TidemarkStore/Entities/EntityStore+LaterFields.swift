import TidemarkJSON
import TidemarkModel

/// The fields of an entity that were written at a later place in the log than an event.
struct LaterFields {
    /// A compact object with only these fields.
    var resource: [UInt8]
    /// When each of these fields was written, by name or path.
    var stamps: [ByteString: EntityStamp]

    /// Puts these fields back into a resource.
    ///
    /// Values that a GraphQL response wrote inside an object are merged by path. Every other field replaces the one of
    /// the same name.
    ///
    /// - Parameter base: The resource as the earlier event leaves it: a compact object.
    /// - Returns: The resource, and the paths of members that only the event has, inside objects with a later stamp.
    /// - Complexity: O(both).
    func kept(in base: [UInt8]) -> (resource: [UInt8], earlier: [ByteString]) {
        let merged = merged(into: base)
        let earlier = merged.written.kept.filter { path in
            WrittenFields.nearest(around: path, where: { stamps[$0] }) != nil
        }
        return (merged.resource, earlier)
    }

    private func merged(into base: [UInt8]) -> (resource: [UInt8], written: WrittenFields) {
        resource.withUnsafeBytes { kept in
            let object = JSONObject(kept, range: 0..<kept.count)
            let replaced = object.members.filter { member in
                stamps[ByteString(object.unescapedName(member))].map { $0.writer != .document } ?? false
            }
            guard !replaced.isEmpty else { return base.withUnsafeBytes { Merge.byPath(kept, into: $0) } }
            var fields: [UInt8] = []
            for member in replaced {
                fields.append(UInt8(ascii: fields.isEmpty ? "{" : ","))
                fields.append(contentsOf: kept[member.name.lowerBound - 1..<member.value.upperBound])
            }
            fields.append(UInt8(ascii: "}"))
            let assigned = fields.withUnsafeBytes { fields in base.withUnsafeBytes { Merge.assigned(fields, into: $0) }
            }
            return assigned.withUnsafeBytes { Merge.byPath(kept, into: $0) }
        }
    }
}

extension EntityStore {
    /// Returns the fields that an event is too old to change, while it may change the others.
    ///
    /// - Parameters:
    ///   - index: An entity whose stamp is newer than the event.
    ///   - sequence: The sequence of the event, in `generation`.
    /// - Returns: nil if the entity is compared as a whole, because an event or a transaction wrote it last.
    /// - Complexity: O(resource + paths).
    func laterFields(
        of index: SlotIndex, than sequence: EventSequence?, generation: UInt32
    ) -> LaterFields? {
        let whole = stamp(of: index)
        switch whole.writer {
        case .answer, .confirmation, .document: break
        case .event, .transaction: return nil
        }
        let stamps = fieldStamps[index]
        var selection = LaterSelection(bytes: payload(of: index), named: stamps?.named ?? [:]) {
            $0.isNewer(than: sequence, generation: generation)
        }
        _ = selection.append(0..<selection.bytes.count, path: [], outer: stamps?.rest ?? whole)
        return LaterFields(resource: selection.result, stamps: selection.stamps)
    }

    /// Writes an earlier event around the fields that stay. The entity's own stamp stays, because it is newer.
    ///
    /// - Parameters:
    ///   - stamps: The stamps of the entity's fields after the write.
    ///   - payload: The resource, which already has the fields that stay.
    /// - Returns: True if the payload changed.
    mutating func write(around stamps: FieldStamps, _ index: SlotIndex, payload: UnsafeRawBufferPointer) -> Bool {
        let completeness = completeness(of: index)
        var stamps = stamps
        stamps.fit(payload)
        setFieldStamps(stamps, of: index)
        let isEqual = JSONText.haveEqualBytes(self.payload(of: index), payload)
        if !isEqual {
            if slot(index).pointee.flags.contains(.hasNewPayload) {
                dirtyByteCount += payload.count - Int(slot(index).pointee.payloadCount)
            }
            store(payload, in: index)
        }
        markDirty(index, hasNewPayload: !isEqual || completeness != stamps.completeness)
        touch(index)
        return !isEqual
    }
}

/// Collects the later fields of one resource. The nesting of stored resources bounds the recursion.
private struct LaterSelection {
    let bytes: UnsafeRawBufferPointer
    /// The stamps of fields that have one of their own, by path.
    let named: [ByteString: EntityStamp]
    let isLater: (EntityStamp) -> Bool
    private(set) var result: [UInt8] = []
    private(set) var stamps: [ByteString: EntityStamp] = [:]

    init(
        bytes: UnsafeRawBufferPointer, named: [ByteString: EntityStamp], isLater: @escaping (EntityStamp) -> Bool
    ) {
        self.bytes = bytes
        self.named = named
        self.isLater = isLater
    }

    /// Appends the later fields of an object.
    ///
    /// - Parameter outer: The stamp of every field that has none of its own.
    /// - Returns: True if there are any.
    mutating func append(_ range: Range<Int>, path: [UInt8], outer: EntityStamp) -> Bool {
        let object = JSONObject(bytes, range: range)
        var isAny = false
        result.append(UInt8(ascii: "{"))
        for member in object.members {
            let name = path + object.unescapedName(member)
            let stamp = named[ByteString(name)] ?? outer
            let mark = result.count
            appendName(member)
            if bytes[member.value.lowerBound] == UInt8(ascii: "{"), isMixed(name + [FieldStamps.separator], stamp) {
                guard append(member.value, path: name + [FieldStamps.separator], outer: stamp) else {
                    result.removeLast(result.count - mark)
                    continue
                }
            } else if isLater(stamp) {
                result.append(contentsOf: bytes[member.value])
                keep(stamp, of: name)
            } else if !path.isEmpty, name.dropFirst(path.count).elementsEqual("__typename".utf8) {
                // An embedded object is merged into one of its own type.
                result.append(contentsOf: bytes[member.value])
                continue
            } else {
                result.removeLast(result.count - mark)
                continue
            }
            isAny = true
        }
        result.append(UInt8(ascii: "}"))
        return isAny
    }

    /// Returns true if some fields below a path are later and others are not, so that each must be compared by itself.
    private func isMixed(_ prefix: [UInt8], _ stamp: EntityStamp) -> Bool {
        let isOuterLater = isLater(stamp)
        return named.contains { $0.key.bytes.starts(with: prefix) && isLater($0.value) != isOuterLater }
    }

    private mutating func keep(_ stamp: EntityStamp, of name: [UInt8]) {
        stamps[ByteString(name)] = stamp
        for (inner, stamp) in named where inner.bytes.starts(with: name + [FieldStamps.separator]) {
            stamps[inner] = stamp
        }
    }

    private mutating func appendName(_ member: JSONObject.Member) {
        if result.last != UInt8(ascii: "{") { result.append(UInt8(ascii: ",")) }
        result.append(contentsOf: bytes[member.name.lowerBound - 1..<member.name.upperBound + 1])
        result.append(UInt8(ascii: ":"))
    }
}

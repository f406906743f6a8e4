/// Decodes the name and payload of a kind into a ``ReferenceKind``, the last of the checks.
///
/// - Source: Protocol/events.md, "Kinds".
package struct ReferenceKindDecoder: Sendable {
    private let configuration: ReferenceConfiguration

    /// Creates a decoder.
    package init(configuration: ReferenceConfiguration) { self.configuration = configuration }

    /// Decodes a kind.
    ///
    /// - Parameter payload: Null if the kind was a bare string, or had no `data`.
    /// - Throws: ``ReferenceLineError`` with only the reason set.
    package func decode(
        name: [UInt8], payload: ReferenceJSON, envelopeEpoch: [UInt8]?
    ) throws(ReferenceLineError) -> ReferenceKind {
        switch String(decoding: name, as: UTF8.self) {
        case "ResourceChanged": return try changed(try object(payload))
        case "ResourceBatchChanged", "ResourceChangedBatch", "BatchChanged": return try batch(try object(payload))
        case "ResourceDeleted", "Deleted": return try deleted(try object(payload))
        case "BulkOperationCompleted", "BulkOperation": return try bulk(try object(payload))
        case "Refresh": return .refresh
        case "Heartbeat": return try heartbeat(try object(payload))
        case "Reset": return try reset(payload, envelopeEpoch)
        default: return .unknown(name: name)
        }
    }

    private func object(_ payload: ReferenceJSON) throws(ReferenceLineError) -> ReferenceJSON {
        guard payload.members != nil else { throw ReferenceLineError(.badShape) }
        return payload
    }

    private func changed(_ payload: ReferenceJSON) throws(ReferenceLineError) -> ReferenceKind {
        let type = try type(of: payload)
        guard let resource = payload.member("resource"), resource.members != nil else {
            throw ReferenceLineError(.badShape)
        }
        let metadata = try metadata(of: payload)
        return .changed(type: type, resource: try identified(resource), metadata: metadata)
    }

    private func batch(_ payload: ReferenceJSON) throws(ReferenceLineError) -> ReferenceKind {
        let type = try type(of: payload)
        guard let resources = payload.member("resources")?.elements else { throw ReferenceLineError(.badShape) }
        let metadata = try metadata(of: payload)
        if resources.count > configuration.batchCountMax { throw ReferenceLineError(.batchTooLarge) }
        var members: [ReferenceBatchMember] = []
        for resource in resources {
            guard resource.members != nil else {
                members.append(.bad(.badShape))
                continue
            }
            do {
                members.append(.good(try identified(resource)))
            } catch {
                members.append(.bad(error.reason))
            }
        }
        return .batch(type: type, members: members, metadata: metadata)
    }

    private func deleted(_ payload: ReferenceJSON) throws(ReferenceLineError) -> ReferenceKind {
        let type = try type(of: payload)
        guard let value = payload.presentMember("resource_id"), let id = ReferenceIdentity.id(from: value) else {
            throw ReferenceLineError(.missingID)
        }
        if id.count > configuration.idByteCountMax { throw ReferenceLineError(.idTooLong) }
        return .deleted(type: type, id: id)
    }

    private func bulk(_ payload: ReferenceJSON) throws(ReferenceLineError) -> ReferenceKind {
        let type = try type(of: payload)
        if let hints = payload.presentMember("hints"), hints.members == nil { throw ReferenceLineError(.badShape) }
        return .bulk(type: type)
    }

    private func heartbeat(_ payload: ReferenceJSON) throws(ReferenceLineError) -> ReferenceKind {
        guard let last = payload.presentMember("last_sequence") else { throw ReferenceLineError(.badShape) }
        guard let sequence = ReferenceEnvelope.sequence(from: last) else { throw ReferenceLineError(.badSequence) }
        return .heartbeat(lastSequence: sequence, isStale: payload.member("stale") == .bool(true))
    }

    private func reset(_ payload: ReferenceJSON, _ envelopeEpoch: [UInt8]?) throws(ReferenceLineError) -> ReferenceKind
    {
        guard payload == .null || payload.members != nil else { throw ReferenceLineError(.badShape) }
        let beginsState = payload.member("state") == .bool(true)
        if let value = payload.presentMember("epoch") {
            guard let epoch = value.text, epoch.count <= configuration.idByteCountMax else {
                throw ReferenceLineError(.badShape)
            }
            if !epoch.isEmpty { return .reset(epoch: epoch, beginsState: beginsState) }
        }
        guard let envelopeEpoch else { throw ReferenceLineError(.badShape) }
        return .reset(epoch: envelopeEpoch, beginsState: beginsState)
    }

    private func type(of payload: ReferenceJSON) throws(ReferenceLineError) -> [UInt8] {
        guard let type = payload.member("resource_type")?.text, !type.isEmpty,
            type.count <= configuration.typeByteCountMax, type.allSatisfy(Self.isTypeByte)
        else { throw ReferenceLineError(.badType) }
        return configuration.typeAliases[type] ?? type
    }

    private static func isTypeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
        case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): return true
        default: return false
        }
    }

    private func identified(_ resource: ReferenceJSON) throws(ReferenceLineError) -> ReferenceResource {
        let idValue = resource.presentMember("id")
        guard let value = idValue ?? resource.presentMember("uuid"), let id = ReferenceIdentity.id(from: value) else {
            throw ReferenceLineError(.missingID)
        }
        if id.count > configuration.idByteCountMax { throw ReferenceLineError(.idTooLong) }
        return ReferenceResource(id: id, json: resource, isKeyedByUUID: idValue == nil)
    }

    private func metadata(of payload: ReferenceJSON) throws(ReferenceLineError) -> ReferenceMetadata? {
        guard let metadata = payload.presentMember("metadata") else { return nil }
        guard metadata.members != nil else { throw ReferenceLineError(.badShape) }
        var names: Set<[UInt8]> = []
        if let list = metadata.presentMember("no_merge_fields") {
            guard let elements = list.elements else { throw ReferenceLineError(.badShape) }
            for element in elements {
                guard let name = element.text else { throw ReferenceLineError(.badShape) }
                names.insert(name)
            }
        }
        var alternates: [[UInt8]] = []
        if let list = metadata.presentMember("alternate_ids") {
            guard let elements = list.elements else { throw ReferenceLineError(.badShape) }
            for element in elements {
                guard element.text != nil || element.integerText != nil else { throw ReferenceLineError(.badShape) }
                if let id = ReferenceIdentity.id(from: element) { alternates.append(id) }
            }
        }
        return ReferenceMetadata(noMergeFields: names, alternateIDs: alternates)
    }
}

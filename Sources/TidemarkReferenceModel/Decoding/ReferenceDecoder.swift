/// Decodes one line. It mirrors stage 2 of the walk, and shares no code with it.
///
/// ```swift
/// let decoder = ReferenceDecoder(configuration: ReferenceConfiguration())
/// switch decoder.decode(Array(#"{"sequence":1,"event":"Refresh"}"#.utf8)) {
/// case .event(let event): print(event.sequence ?? 0)
/// case .rejected(let rejection): print(rejection)
/// case .blank, .control, .message: break
/// }
/// ```
///
/// - Source: Protocol/framing.md and Protocol/events.md.
package struct ReferenceDecoder: Sendable {
    let configuration: ReferenceConfiguration

    /// Creates a decoder.
    package init(configuration: ReferenceConfiguration) { self.configuration = configuration }

    /// Decodes a line without its line end.
    ///
    /// - Returns: Exactly one bin. Never throws: an unusable line is ``ReferenceLine/rejected(_:)``.
    package func decode(_ line: [UInt8]) -> ReferenceLine {
        if line.count > configuration.lineByteCountMax { return broken(line, .tooLong) }
        if ReferenceFraming.isBlank(line) { return .blank }
        if !ReferenceUTF8.isValid(line) { return broken(line, .invalidUTF8) }
        let value: ReferenceJSON
        do {
            value = try ReferenceJSONParser.parse(line, nestingMax: configuration.nestingMax)
        } catch {
            return broken(line, error == .tooDeep ? .tooDeep : .notJSON)
        }
        return decode(value)
    }

    private func decode(_ value: ReferenceJSON) -> ReferenceLine {
        switch value {
        case .string(let string):
            let controls = ["Subscribed", "Unsubscribed", "LogsSubscribed", "Pong"]
            if controls.contains(where: { Array($0.utf8) == string.unescaped }) { return .control }
            return decodeBare(value)
        case .object(let members):
            if value.member("jsonrpc") != nil { return .message }
            if Self.isEnveloped(value) { return decodeEnveloped(value) }
            guard Self.keys(of: members).count == 1, let key = members.first?.key.unescaped else {
                return rejected(.badShape, value)
            }
            if ["JsonOk", "Error", "LogMessage"].contains(where: { Array($0.utf8) == key }) { return .control }
            guard key == Array("Event".utf8), let wrapped = value.member("Event") else { return decodeBare(value) }
            return decodeWrapped(wrapped)
        case .array(let elements):
            let isMessageBatch = elements.isEmpty || elements.contains { $0.member("jsonrpc") != nil }
            return isMessageBatch ? .message : .rejected(ReferenceLineError(.badShape))
        case .null, .bool, .number:
            return .rejected(ReferenceLineError(.badShape))
        }
    }

    private func decodeWrapped(_ value: ReferenceJSON) -> ReferenceLine {
        switch value {
        case .string: return decodeBare(value)
        case .object(let members):
            if Self.isEnveloped(value) { return decodeEnveloped(value) }
            return Self.keys(of: members).count == 1 ? decodeBare(value) : rejected(.badShape, value)
        case .null, .bool, .number, .array: return .rejected(ReferenceLineError(.badShape))
        }
    }

    private func decodeBare(_ kind: ReferenceJSON) -> ReferenceLine {
        finish(envelope: ReferenceEnvelope(.object([])), object: .object([]), kind: kind)
    }

    private func decodeEnveloped(_ object: ReferenceJSON) -> ReferenceLine {
        let event = object.presentMember("event")
        let kind = object.presentMember("kind")
        switch (event, kind) {
        case (.some(let event), nil): return finish(envelope: ReferenceEnvelope(object), object: object, kind: event)
        case (nil, .some(let kind)):
            guard kind.members != nil, let name = kind.member("type") else {
                // A kind that is not an object must be a bare string; everything else has a bad shape.
                let isString = kind.text != nil
                return isString
                    ? finish(envelope: ReferenceEnvelope(object), object: object, kind: kind)
                    : rejected(.badShape, object)
            }
            guard case .string(let spelled) = name else { return rejected(.badShape, object) }
            let payload = kind.member("data") ?? .null
            let single = ReferenceJSON.object([ReferenceMember(key: spelled, value: payload)])
            return finish(envelope: ReferenceEnvelope(object), object: object, kind: single)
        default: return rejected(.badShape, object)
        }
    }

    /// Decodes the kind, the last step for all envelopes.
    ///
    /// - Parameter kind: A string, or an object with one key: name → payload.
    private func finish(envelope: ReferenceEnvelope, object: ReferenceJSON, kind: ReferenceJSON) -> ReferenceLine {
        let name: [UInt8]
        let payload: ReferenceJSON
        if let text = kind.text {
            (name, payload) = (text, .null)
        } else if let members = kind.members, Self.keys(of: members).count == 1,
            let member = members.last, !member.key.hasLoneSurrogate
        {
            (name, payload) = (member.key.unescaped, member.value)
        } else {
            return rejected(.badShape, object)
        }
        if let fault = envelope.firstFault(idByteCountMax: configuration.idByteCountMax) {
            return rejected(fault, object)
        }
        let epoch = envelope.epoch(idByteCountMax: configuration.idByteCountMax)
        let decoded: ReferenceKind
        do {
            decoded = try ReferenceKindDecoder(configuration: configuration)
                .decode(name: name, payload: payload, envelopeEpoch: epoch)
        } catch {
            return rejected(error.reason, object)
        }
        let library = envelope.library(
            default: configuration.defaultLibrary, idByteCountMax: configuration.idByteCountMax)
        guard let library else { return rejected(.idTooLong, object) }
        return .event(
            ReferenceEvent(
                library: library, sequence: envelope.sequence, explicitPrevious: envelope.validPrevious,
                epoch: epoch, hasMore: envelope.hasMore, kind: decoded))
    }

    private func rejected(_ reason: ReferenceReason, _ object: ReferenceJSON) -> ReferenceLine {
        .rejected(rejection(reason, object, isWhole: true))
    }

    private func broken(_ line: [UInt8], _ reason: ReferenceReason) -> ReferenceLine {
        let found = ReferenceSalvage.members(
            of: line, nestingMax: configuration.nestingMax, byteCountMax: configuration.quarantineByteCountMax)
        return .rejected(rejection(reason, found, isWhole: false))
    }

    /// Describes an unusable line.
    ///
    /// - Parameter isWhole: True if the whole line was read, so that a missing field is known to be absent.
    private func rejection(_ reason: ReferenceReason, _ object: ReferenceJSON, isWhole: Bool) -> ReferenceLineError {
        let envelope = ReferenceEnvelope(object)
        var rejection = ReferenceLineError(reason)
        rejection.sequence = envelope.sequence
        rejection.explicitPrevious = envelope.validPrevious
        rejection.epoch = envelope.epoch(idByteCountMax: configuration.idByteCountMax)
        let isAbsent = envelope.field("library_id") == nil
        let mayDefault = isWhole ? rejection.sequence != nil : envelope.mentions("library_id")
        let fallback = isAbsent && mayDefault ? configuration.defaultLibrary : nil
        rejection.library = envelope.library(default: fallback, idByteCountMax: configuration.idByteCountMax)
        return rejection
    }

    private static func isEnveloped(_ object: ReferenceJSON) -> Bool {
        ["event", "kind", "envelope"].contains { object.member($0) != nil }
    }

    private static func keys(of members: [ReferenceMember]) -> Set<[UInt8]> {
        Set(members.map(\.key.unescaped))
    }
}

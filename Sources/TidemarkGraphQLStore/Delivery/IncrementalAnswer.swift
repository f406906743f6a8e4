import Tidemark
import TidemarkModel

/// An answer that is assembled from its parts.
///
/// A pure value: a payload goes in, and the answer so far comes out. Objects are merged deeply, lists of one length by
/// index. An item whose path leads nowhere is left out, with a sentence in the errors, and the rest continues.
///
/// - Source: Protocol/graphql.md, incremental delivery.
package struct IncrementalAnswer: Sendable {
    /// The change that one payload made.
    package struct Change: Sendable {
        /// The places of `data` that it brought.
        package var mask = PayloadMask.nothing
        /// The errors of all payloads so far.
        package var errors: [JSONValue] = []
        /// Whether it changed nothing: a heartbeat.
        package var isHeartbeat = true
    }

    private var parser: any DeliveryParser
    /// `data` of all payloads so far.
    package private(set) var data = JSONValue.null
    package private(set) var errors: [JSONValue] = []
    package private(set) var extensions: [JSONMember] = []
    /// Whether more parts follow.
    package private(set) var hasNext = true
    /// The fragments whose data will not come.
    package private(set) var failed: Set<DeferredFragment> = []

    /// The errors of one answer, and the fragments that failed: later ones are left out.
    private static let noteCountMax = 10_000

    package init(_ parser: any DeliveryParser) { self.parser = parser }

    /// - Precondition: The format is one of answers.
    package init(_ format: DeliveryFormat) {
        guard case .answer(let make) = format.kind else {
            preconditionFailure("\(format.mediaType) is a form of subscriptions, not of answers")
        }
        self.init(make())
    }

    /// The answer as one object, in the form of an answer that came whole.
    package var answer: JSONValue {
        var members = [JSONMember("data", data)]
        if !errors.isEmpty { members.append(JSONMember("errors", .array(errors))) }
        if !extensions.isEmpty { members.append(JSONMember("extensions", .object(extensions))) }
        members.append(JSONMember("hasNext", .bool(hasNext)))
        return .object(members)
    }

    /// Takes a payload.
    ///
    /// - Throws: ``DeliveryFault`` when it is no object, or has a member of another kind.
    /// - Complexity: O(payload + the members and elements along its paths).
    @discardableResult
    package mutating func apply(_ payload: JSONValue) throws(DeliveryFault) -> Change {
        var change = Change()
        if let members = payload.members, members.isEmpty { return change }
        let step = try parser.read(payload)
        hasNext = step.hasNext
        change.errors = step.errors
        for item in step.items {
            var mask = PayloadMask.nothing
            guard let whole = IncrementalAnswer.merged(data, item.data, at: item.path[...], &mask) else {
                change.errors.append(
                    IncrementalAnswer.diagnosis("an incremental item's path leads nowhere", path: item.path))
                continue
            }
            data = whole
            change.mask.formUnion(mask)
        }
        errors += change.errors.prefix(max(0, IncrementalAnswer.noteCountMax - errors.count))
        for member in step.extensions {
            extensions.removeAll { $0.name == member.name }
            extensions.append(member)
        }
        for fragment in step.failed where failed.count < IncrementalAnswer.noteCountMax { failed.insert(fragment) }
        change.isHeartbeat = step.items.isEmpty && change.errors.isEmpty && step.failed.isEmpty && hasNext
        return change
    }

    static func diagnosis(_ message: String, path: [JSONValue]) -> JSONValue {
        .object([JSONMember("message", .string(message)), JSONMember("path", .array(path))])
    }

    /// Returns a value with another merged in at a path; nil when the path leads nowhere.
    private static func merged(
        _ value: JSONValue, _ other: JSONValue, at path: ArraySlice<JSONValue>, _ mask: inout PayloadMask
    ) -> JSONValue? {
        guard let first = path.first else { return merged(value, other, &mask) }
        var below = PayloadMask.nothing
        switch (value, first) {
        case (.object(var members), .string(let name)):
            guard let index = members.lastIndex(where: { $0.name == name }),
                let inner = merged(members[index].value, other, at: path.dropFirst(), &below)
            else { return nil }
            members[index].value = inner
            mask = .parts([.name(ByteString(name)): below])
            return .object(members)
        case (.array(var elements), .number(let number)):
            guard let index = number.int, elements.indices.contains(index),
                let inner = merged(elements[index], other, at: path.dropFirst(), &below)
            else { return nil }
            elements[index] = inner
            mask = .parts([.index(index): below])
            return .array(elements)
        default: return nil
        }
    }

    /// Merges two values deeply; where they are of different kinds, the second one counts.
    private static func merged(_ value: JSONValue, _ other: JSONValue, _ mask: inout PayloadMask) -> JSONValue {
        switch (value, other) {
        case (.object(var members), .object(let others)):
            var children: [ResponseStep: PayloadMask] = [:]
            var places: [String: Int] = [:]
            for (place, member) in members.enumerated() { places[member.name] = place }
            for member in others {
                var below = PayloadMask.whole
                if let index = places[member.name] {
                    members[index].value = merged(members[index].value, member.value, &below)
                } else {
                    places[member.name] = members.count
                    members.append(member)
                }
                children[.name(ByteString(member.name))] = below
            }
            mask = .parts(children)
            return .object(members)
        case (.array(let elements), .array(let others)) where elements.count == others.count && !elements.isEmpty:
            var children: [ResponseStep: PayloadMask] = [:]
            var merged: [JSONValue] = []
            merged.reserveCapacity(elements.count)
            for (index, (element, other)) in zip(elements, others).enumerated() {
                var below = PayloadMask.whole
                merged.append(self.merged(element, other, &below))
                children[.index(index)] = below
            }
            mask = .parts(children)
            return .array(merged)
        default:
            mask = .whole
            return other
        }
    }
}

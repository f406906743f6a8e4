import TidemarkJSON
import TidemarkStore

extension Evaluation {
    /// The row that is bound, with its includes.
    ///
    /// - Parameter keepsGroups: True to keep the groups of includes in the log.
    mutating func row(_ body: PlanBody, keepsGroups: Bool = false) -> RenderedRow {
        if let log {
            // A match of an include is found in a bucket, which every change of the match touches.
            for slot in body.rowSlots {
                guard let key = key(slot) else { continue }
                log.note(entity: key)
                log.note(behind: key)
            }
        }
        var row = RenderedRow(own: own(body))
        for (index, include) in body.includes.enumerated() {
            if keepsGroups, let groups = include.steadyGroups {
                let set = groupSet(include.body, groups)
                log?.groups[index] = set
                let content = content(of: set, include.body, groups)
                row.includes.append(RenderedInclude(name: include.name, content: content))
                continue
            }
            row.includes.append(RenderedInclude(name: include.name, content: content(include)))
        }
        return row
    }

    /// Enough for most rows, so that the text rarely grows.
    private static let rowByteCountTypical = 128

    private func own(_ body: PlanBody) -> [UInt8] {
        if case .resource(let slot) = body.output, body.includes.isEmpty {
            return resource(slot)?.bytes ?? Array("{}".utf8)
        }
        let names = body.includes.map(\.name)
        var text: [UInt8] = []
        text.reserveCapacity(Evaluation.rowByteCountTypical)
        text.append(UInt8(ascii: "{"))
        func append(_ name: [UInt8], _ value: some Collection<UInt8>) {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            CanonicalString.append(name, to: &text)
            text.append(UInt8(ascii: ":"))
            text.append(contentsOf: value)
        }
        switch body.output {
        case .resource(let slot):
            let resource = resource(slot)?.bytes ?? Array("{}".utf8)
            resource.withUnsafeBytes { bytes in
                let object = JSONObject(bytes, range: 0..<bytes.count)
                for member in object.members {
                    let name = object.unescapedName(member)
                    if !names.contains(name) { append(name, resource[member.value]) }
                }
            }
        case .resources(let sources):
            for source in sources where !names.contains(source.name) {
                if let resource = resource(source.slot) { append(source.name, resource.bytes) }
            }
        case .members(let members):
            for member in members where !names.contains(member.name) {
                if let value = value(member.path) { append(member.name, value.bytes[value.range]) }
            }
        case .groups: break
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    /// Returns a group's row as JSON.
    static func text(_ row: GroupRow, _ groups: ViewGroups) -> [UInt8] {
        let names = (groups.keys ?? []).map(\.name) + groups.aggregates.map(\.name)
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (name, value) in zip(names, row.values) {
            guard let value else { continue }
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            CanonicalString.append(name, to: &text)
            text.append(UInt8(ascii: ":"))
            text += value
        }
        text.append(UInt8(ascii: "}"))
        return text
    }
}

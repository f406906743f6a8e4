import Tidemark

/// Members that payloads of all forms have.
extension DeliveryStep {
    /// Begins a step with `hasNext`; a payload without it is the only one.
    init(of payload: JSONValue) throws(DeliveryFault) {
        guard payload.members != nil else { throw DeliveryFault("a part of the answer is no object") }
        guard let next = payload["hasNext"], !next.isNull else {
            hasNext = false
            return
        }
        guard let flag = next.bool else { throw DeliveryFault("hasNext is neither true nor false") }
        hasNext = flag
    }

    /// Reads `data`, `errors` and `extensions` of a payload.
    mutating func read(answer payload: JSONValue) throws(DeliveryFault) {
        if let data = payload["data"] { items.append(Item(path: [], data: data)) }
        try read(notes: payload)
    }

    /// Reads `errors` and `extensions`.
    mutating func read(notes payload: JSONValue) throws(DeliveryFault) {
        if let list = payload["errors"], !list.isNull {
            guard let list = list.elements else { throw DeliveryFault("errors is no list") }
            errors += list
        }
        extensions += payload["extensions"]?.members ?? []
    }

    /// Adds the data of a fragment; null says that the fragment failed.
    mutating func add(_ data: JSONValue?, at path: [JSONValue], of fragment: DeferredFragment) {
        guard let data else { return }
        if data.isNull { failed.append(fragment) } else { items.append(Item(path: path, data: data)) }
    }

    /// Returns the elements of a member that is a list; none when it is absent or null.
    static func list(_ name: String, of payload: JSONValue) throws(DeliveryFault) -> [JSONValue] {
        guard let value = payload[name], !value.isNull else { return [] }
        guard let list = value.elements else { throw DeliveryFault("\(name) is no list") }
        return list
    }
}

/// `deferSpec=20220824`: items with `path`, `data` and `label`.
struct PathParser: DeliveryParser {
    mutating func read(_ payload: JSONValue) throws(DeliveryFault) -> DeliveryStep {
        var step = try DeliveryStep(of: payload)
        // A payload is an item itself where it has a path, as the first drafts of the proposal had it.
        if payload["path"] != nil {
            try PathParser.read(payload, &step)
        } else {
            try step.read(answer: payload)
        }
        for item in try DeliveryStep.list("incremental", of: payload) { try PathParser.read(item, &step) }
        return step
    }

    static func read(_ item: JSONValue, _ step: inout DeliveryStep) throws(DeliveryFault) {
        guard item.members != nil else { throw DeliveryFault("an incremental item is no object") }
        try step.read(notes: item)
        let path = item["path"]?.elements ?? []
        step.add(item["data"], at: path, of: DeferredFragment(path: path, label: item["label"]?.string))
    }
}

/// `incrementalSpec=v0.2`: fragments are announced, referred to by `id`, and completed.
struct PendingParser: DeliveryParser {
    /// The fragments that were announced, by id. At most ``pendingCountMax``.
    private var pending: [String: DeferredFragment] = [:]

    private static let pendingCountMax = 10_000

    mutating func read(_ payload: JSONValue) throws(DeliveryFault) -> DeliveryStep {
        var step = try DeliveryStep(of: payload)
        for one in try DeliveryStep.list("pending", of: payload) {
            guard let id = one["id"]?.string else { throw DeliveryFault("a pending fragment has no id") }
            guard pending.count < PendingParser.pendingCountMax else {
                throw DeliveryFault("more than \(PendingParser.pendingCountMax) fragments are pending")
            }
            pending[id] = DeferredFragment(path: one["path"]?.elements ?? [], label: one["label"]?.string)
        }
        if payload["path"] != nil {
            try read(payload, &step)
        } else {
            try step.read(answer: payload)
        }
        for item in try DeliveryStep.list("incremental", of: payload) { try read(item, &step) }
        for one in try DeliveryStep.list("completed", of: payload) {
            guard let id = one["id"]?.string, let fragment = pending.removeValue(forKey: id) else { continue }
            guard let errors = one["errors"], !errors.isNull else { continue }
            step.failed.append(fragment)
            try step.read(notes: one)
        }
        return step
    }

    private func read(_ item: JSONValue, _ step: inout DeliveryStep) throws(DeliveryFault) {
        guard let id = item["id"] else { return try PathParser.read(item, &step) }
        try step.read(notes: item)
        guard let text = id.string, let fragment = pending[text] else {
            step.errors.append(
                IncrementalAnswer.diagnosis(
                    "an incremental item names the fragment \(id.text), which is not pending", path: []))
            return
        }
        step.add(item["data"], at: fragment.path + (item["subPath"]?.elements ?? []), of: fragment)
    }
}

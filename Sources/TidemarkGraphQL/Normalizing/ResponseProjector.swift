import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// Converts a server's response into the data that the document selects: without additions, in the order of
/// CollectFields.
///
/// - Source: Protocol/graphql.md, sending and reading.
struct ResponseProjector {
    /// The data of a response, which may be incomplete.
    struct Projection {
        /// `data` as JSON.
        var data: [UInt8]
        /// The states of the deferred fragments. Those that lack a field are pending.
        var deferred: [DeferredState]
    }

    private let plan: OperationPlan
    private let outline: JSONOutline
    private var data: [UInt8] = []
    private var path: ResponsePath = []
    private var deferred: [DeferredState] = []
    private var ledger: DeferralLedger

    /// Returns the data of a response.
    ///
    /// - Returns: `data` as JSON; null if the response has none, or does not fit the document.
    /// - Complexity: O(response).
    static func data(of parts: ResponseParts, _ plan: OperationPlan) -> [UInt8] {
        projection(of: parts, plan).data
    }

    /// Returns the data of a response, and the states of its deferred fragments.
    ///
    /// - Complexity: O(response).
    static func projection(of parts: ResponseParts, _ plan: OperationPlan) -> Projection {
        guard parts.hasData, let outline = JSONOutline(text: parts.data) else {
            return Projection(data: Array("null".utf8), deferred: [])
        }
        var projector = ResponseProjector(plan, outline, DeferralLedger())
        projector.object(0, plan.rootSet, plan.rootTypename)
        if !projector.ledger.found.isEmpty {
            projector = ResponseProjector(plan, outline, DeferralLedger(hiding: projector.ledger.found))
            projector.object(0, plan.rootSet, plan.rootTypename)
        }
        return Projection(data: projector.data, deferred: projector.deferred)
    }

    private init(_ plan: OperationPlan, _ outline: JSONOutline, _ ledger: DeferralLedger) {
        self.plan = plan
        self.outline = outline
        self.ledger = ledger
    }

    private mutating func object(_ entry: Int, _ set: Int, _ declared: ByteString?) {
        var typename = declared
        if let value = plan.typename(of: set, { outline.value(named: $0, in: entry) }),
            outline.kind(value) == .string
        {
            typename = ByteString(outline.unescapedName(value))
        }
        data.append(UInt8(ascii: "{"))
        var isFirst = true
        let collection = plan.collection(of: set, typename: typename)
        ledger.begin(at: path)
        for field in collection.fields where !field.isAdded && !ledger.hides(field) {
            let planned = field.planned
            guard let member = outline.value(named: planned.responseName, in: entry) else {
                ledger.note(missing: field)
                continue
            }
            data += isFirst ? planned.separatedResponseName.dropFirst() : planned.separatedResponseName[...]
            isFirst = false
            path.append(.name(planned.responseName))
            value(member, field)
            path.removeLast()
        }
        data.append(UInt8(ascii: "}"))
        let missing = ledger.end(collection.deferrals, at: path)
        deferred += plan.states(of: collection, missing: missing, at: path)
    }

    private mutating func value(_ entry: Int, _ field: CollectedField) {
        let item = outline[entry]
        switch item.kind {
        case .object where field.set != nil:
            if let set = field.set { object(entry, set, field.objectTypename) }
        case .array where field.set != nil:
            data.append(UInt8(ascii: "["))
            var element = entry + 1
            var index = 0
            while element < Int(item.next) {
                if index > 0 { data.append(UInt8(ascii: ",")) }
                path.append(.index(index))
                value(element, field)
                path.removeLast()
                element = Int(outline[element].next)
                index += 1
            }
            data.append(UInt8(ascii: "]"))
        default:
            let quote = item.kind == .string ? 1 : 0
            let text = outline.bytes[Int(item.start) - quote..<Int(item.end) + quote]
            data += item.kind == .object || item.kind == .array ? JSONSlice(validated: text).bytes : text
        }
    }
}

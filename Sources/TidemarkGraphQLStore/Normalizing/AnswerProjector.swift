import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// Gives a server's answer as the document asked for it: without additions, in the order of CollectFields.
///
/// - Source: Protocol/graphql.md, sending and reading.
struct AnswerProjector {
    private let plan: OperationPlan
    private let outline: JSONOutline
    private var data: [UInt8] = []

    /// - Returns: `data` as JSON; null for an answer without, and for one that does not fit the document.
    /// - Complexity: O(answer).
    static func data(of parts: AnswerParts, _ plan: OperationPlan) -> [UInt8] {
        guard parts.hasData, let outline = JSONOutline(text: parts.data) else { return Array("null".utf8) }
        var projector = AnswerProjector(plan: plan, outline: outline)
        projector.object(0, plan.rootSet, plan.rootTypename)
        return projector.data
    }

    private init(plan: OperationPlan, outline: JSONOutline) {
        self.plan = plan
        self.outline = outline
    }

    private mutating func object(_ entry: Int, _ set: Int, _ declared: ByteString?) {
        var typename = declared
        if let name = plan.typenameResponse(of: set), let value = outline.value(named: name, in: entry),
            outline.kind(value) == .string
        {
            typename = ByteString(outline.unescapedName(value))
        }
        data.append(UInt8(ascii: "{"))
        var isFirst = true
        for field in plan[collection: plan.collection(of: set, typename: typename)].fields where !field.isAdded {
            let planned = plan.fields[field.field]
            guard let member = outline.value(named: planned.responseName, in: entry) else { continue }
            if !isFirst { data.append(UInt8(ascii: ",")) }
            isFirst = false
            data.append(contentsOf: planned.quotedResponseName)
            value(member, field)
        }
        data.append(UInt8(ascii: "}"))
    }

    private mutating func value(_ entry: Int, _ field: CollectedField) {
        let item = outline[entry]
        switch item.kind {
        case .object where field.set != nil:
            if let set = field.set { object(entry, set, plan.rules.objectTypename(of: field.type)) }
        case .array where field.set != nil:
            data.append(UInt8(ascii: "["))
            var element = entry + 1
            while element < Int(item.next) {
                if element > entry + 1 { data.append(UInt8(ascii: ",")) }
                value(element, field)
                element = Int(outline[element].next)
            }
            data.append(UInt8(ascii: "]"))
        default:
            let quote = item.kind == .string ? 1 : 0
            let text = outline.bytes[Int(item.start) - quote..<Int(item.end) + quote]
            data += item.kind == .object || item.kind == .array ? JSONSlice(validated: text).bytes : text
        }
    }
}

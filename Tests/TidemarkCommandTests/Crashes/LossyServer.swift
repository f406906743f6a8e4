import TidemarkReferenceModel
import TidemarkTesting

/// A server over a connection that loses requests and answers, doubles answers, and brings them late. It performs each
/// mutation once, by its pending id.
struct LossyServer {
    static let entityCount = 4

    private var random: SeededGenerator
    /// The answers that come after a later call.
    private var late: [String] = []
    /// The first answers by pending id.
    private var results: [[UInt8]: String] = [:]
    /// The numbers of the edits in the order in which they were performed.
    private(set) var log: [Int] = []
    /// The last number that was put into each entity.
    private(set) var values: [Int: Int] = [:]
    private(set) var problems: [String] = []
    /// Whether every call is answered from now on.
    var isReliable = false

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Drops the answers that are on their way: the client has gone.
    mutating func forgetConnection() { late = [] }

    /// Returns the lines that the client gets after a call.
    mutating func answer(_ call: ReferenceJSON) -> [String] {
        let before = late
        late = []
        let id = String(decoding: call.member("id")?.written ?? [], as: UTF8.self)
        let fate = isReliable ? 9 : random.below(10)
        if fate == 0 { return before }
        if fate == 1 {
            return before + [
                #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":1,"message":"busy","data":{"retry":true}}}"#
            ]
        }
        let line = #"{"jsonrpc":"2.0","id":\#(id),"result":\#(perform(call))}"#
        switch fate {
        case 2: return before
        case 3: return before + [line, line]
        case 4:
            late = [line]
            return before
        case 5:
            return before + [
                #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":1,"message":"gone","data":{"code":"connection_lost"}}}"#
            ]
        default: return before + [line]
        }
    }

    private mutating func perform(_ call: ReferenceJSON) -> String {
        let params = call.member("params")
        guard let name = params?.member("pending_id")?.text,
            let input = params?.member("input")?.elements, input.count == 2,
            let entity = Int(String(decoding: input[0].written, as: UTF8.self)),
            let number = Int(String(decoding: input[1].written, as: UTF8.self))
        else {
            problems.append("a call cannot be read")
            return "{}"
        }
        if let result = results[name] { return result }
        if let last = values[entity], last > number { problems.append("\(number) came after \(last)") }
        log.append(number)
        values[entity] = number
        let result = #"{"confirmed":{"id":"f\#(entity)","n":\#(number)},"sequence":\#(log.count)}"#
        results[name] = result
        return result
    }
}

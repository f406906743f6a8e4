import TidemarkJSON
import TidemarkModel
import TidemarkScopes
import TidemarkViews

/// One JSON-RPC call in the body of a request for a scope.
struct ScopeCall: Sendable {
    private let id: JSONSlice?
    let method: String
    let params: [[UInt8]: JSONSlice]?

    /// Reads a call.
    ///
    /// - Throws: ``Refusal`` if the body is not one.
    init(_ body: [UInt8]) throws(Refusal) {
        let members = try ScopeCall.members(of: body)
        guard members["jsonrpc".bytes]?.text == "2.0".bytes,
            let method = members["method".bytes]?.text.map({ String(decoding: $0, as: UTF8.self) })
        else { throw Refusal(.badRequest, "the body is not a call of JSON-RPC 2.0") }
        id = members["id".bytes]
        self.method = method
        params = members["params".bytes]?.members
    }

    /// Reads a JSON object in which no member is repeated.
    ///
    /// - Throws: ``Refusal`` for anything else.
    static func members(of body: [UInt8]) throws(Refusal) -> [[UInt8]: JSONSlice] {
        let isJSON: Bool
        do { isJSON = try !RuleNode(text: body, name: "the body").isNull } catch { isJSON = false }
        guard isJSON, let members = JSONSlice(validated: body[...]).members else {
            throw Refusal(.badRequest, "the body is not a JSON object without repeated members")
        }
        return members
    }

    // MARK: Answers

    /// The answer with lines behind a number.
    func events(_ lines: [ScopeLine], after: UInt64) -> [UInt8] {
        answer { line in
            line.name("result")
            line.object { line in
                line.name("events")
                line.array { line in
                    // A heartbeat only repeats the last number.
                    for event in lines where event.number != nil { line.value(json: event.bytes) }
                }
                line.member("covered_through", lines.last { $0.number != nil }?.number?.rawValue ?? after)
            }
        }
    }

    /// The answer for a number that cannot be served any more.
    var epochOver: [UInt8] {
        error(-32_000, "epoch_over", "the lines behind that number are not known in this epoch: ask for a state")
    }

    func error(_ code: Int, _ name: String?, _ message: String) -> [UInt8] {
        answer { line in
            line.name("error")
            line.object { line in
                line.member("code", code)
                line.member("message", Optional(ByteString(message)))
                guard let name else { return }
                line.name("data")
                line.object { $0.member("code", Optional(ByteString(name))) }
            }
        }
    }

    private func answer(_ body: (inout JSONLine) -> Void) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("jsonrpc", Optional("2.0" as ByteString))
            line.member("id", json: id.map { Array($0.bytes) })
            body(&line)
        }
        return line.bytes + [0x0A]
    }
}

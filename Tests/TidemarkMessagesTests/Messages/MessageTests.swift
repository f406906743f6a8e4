import TestTraits
import Testing
import TidemarkJSON
import TidemarkModel
import TidemarkStore

@testable import TidemarkMessages

/// The kinds of messages: requests, answers, and other JSON.
@Suite(.pooled) struct MessageTests {
    private func message(_ text: String) -> Message {
        Message(JSONSlice(validated: Array(text.utf8)[...]))
    }

    /// Returns the kind of a message in one line.
    private func summary(_ text: String) -> String {
        switch message(text) {
        case .request(let request):
            let id = request.id.map { String(decoding: $0, as: UTF8.self) } ?? "-"
            let params = request.params.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "-"
            return "request \(id) \(request.method) \(params)"
        case .answer(let id, .result(let result)):
            return "result \(id?.description ?? "-") \(String(decoding: result.bytes, as: UTF8.self))"
        case .answer(let id, .error(let code, let message, _, _)):
            return "error \(id?.description ?? "-") \(code.map(String.init) ?? "-") \(message)"
        case .invalid(let id, let error):
            return "invalid \(String(decoding: id, as: UTF8.self)) \(error.code)"
        }
    }

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x": [1, 2]}}"#, #"request 1 a {"x":[1,2]}"#),
        (#"{"jsonrpc":"2.0","id":"x \" y","method":"a"}"#, #"request "x \" y" a -"#),
        (#"{"jsonrpc":"2.0","id":1.50,"method":"a","params":[]}"#, "request 1.50 a []"),
        (#"{"jsonrpc":"2.0","id":null,"method":"a","params":null}"#, "request null a -"),
        (#"{"jsonrpc":"2.0","method":"a"}"#, "request - a -"),
        (#"{"method":"a","jsonrp\u0063":"2.0"}"#, "request - a -"),
        (#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, "invalid 1 -32600"),
        (#"{"jsonrpc":2.0,"id":1,"method":"a"}"#, "invalid 1 -32600"),
        (#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, "invalid null -32600"),
        (#"{"jsonrpc":"2.0","id":true,"method":"a"}"#, "invalid null -32600"),
        (#"{"jsonrpc":"2.0","id":1,"method":7}"#, "invalid 1 -32600"),
        (#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, "invalid 1 -32600"),
        (#"{"jsonrpc":"2.0","id":1,"method":"a","params":"x"}"#, "invalid 1 -32600"),
        (#"{"jsonrpc":"2.0","id":1}"#, "invalid 1 -32600"),
        (#"17"#, "invalid null -32600"),
        (#"{"jsonrpc":"2.0","id":"tm-1","result":null}"#, "result tm-1 null"),
        (#"{"jsonrpc":"2.0","id":"tm-1","result":1,"error":null}"#, "result tm-1 1"),
        (#"{"jsonrpc":"2.0","id":7,"result":1}"#, "result - 1"),
        (#"{"jsonrpc":"2.0","id":"tm-1","error":{"code":-32601,"message":"no"}}"#, "error tm-1 -32601 no"),
        (#"{"jsonrpc":"2.0","id":"tm-1","error":"no"}"#, "error tm-1 - the host answered an error without a message"),
    ])
    func `the members of a message decide its kind`(_ text: String, _ wanted: String) {
        #expect(summary(text) == wanted)
    }

    @Test func `an id that is too long is refused`() {
        let longest = String(repeating: "x", count: Message.idByteCountMax - 2)
        #expect(summary(#"{"jsonrpc":"2.0","id":"\#(longest)","method":"a"}"#) == "request \"\(longest)\" a -")
        #expect(summary(#"{"jsonrpc":"2.0","id":"\#(longest)x","method":"a"}"#) == "invalid null -32600")
    }
}

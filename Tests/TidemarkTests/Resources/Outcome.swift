/// The result of a decode, as far as two decoders have to agree.
enum Outcome<Value: Equatable>: Equatable {
    case value(Value)
    case mismatch(String, path: [String])
    case null(String, path: [String])
    case missing(String, path: [String])
    case corrupted(String, path: [String])
    case other(String)

    init(_ decode: () throws -> Value) {
        func path(_ context: DecodingError.Context) -> [String] {
            context.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }
        }
        do {
            self = .value(try decode())
        } catch DecodingError.typeMismatch(let type, let context) {
            self = .mismatch("\(type)", path: path(context))
        } catch DecodingError.valueNotFound(let type, let context) {
            self = .null("\(type)", path: path(context))
        } catch DecodingError.keyNotFound(let key, let context) {
            self = .missing("\(key.stringValue) \(key.intValue ?? -1)", path: path(context))
        } catch DecodingError.dataCorrupted(let context) {
            self = .corrupted(context.debugDescription, path: path(context))
        } catch {
            self = .other("\(error)")
        }
    }
}

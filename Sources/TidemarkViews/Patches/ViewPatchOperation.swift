import TidemarkJSON
import TidemarkModel

/// One operation of a patch from one result to the next.
///
/// - Source: RFC 6902.
package enum ViewPatchOperation: Hashable, Sendable {
    case add(path: [UInt8], value: [UInt8])
    case remove(path: [UInt8])
    case replace(path: [UInt8], value: [UInt8])
    case move(from: [UInt8], path: [UInt8])

    /// Appends the operation as JSON.
    package func write(to text: inout [UInt8]) {
        func name(_ name: String, _ path: [UInt8]) {
            text += "\"\(name)\":".utf8
            CanonicalString.append(path, to: &text)
        }
        text += "{\"op\":".utf8
        switch self {
        case .add(let path, let value):
            text += "\"add\",".utf8
            name("path", path)
            text += Array(",\"value\":".utf8) + value
        case .replace(let path, let value):
            text += "\"replace\",".utf8
            name("path", path)
            text += Array(",\"value\":".utf8) + value
        case .remove(let path):
            text += "\"remove\",".utf8
            name("path", path)
        case .move(let from, let path):
            text += "\"move\",".utf8
            name("from", from)
            text.append(UInt8(ascii: ","))
            name("path", path)
        }
        text.append(UInt8(ascii: "}"))
    }

    /// Returns a patch as JSON.
    package static func text(_ operations: [ViewPatchOperation]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "[")]
        for (index, operation) in operations.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            operation.write(to: &text)
        }
        text.append(UInt8(ascii: "]"))
        return text
    }
}

import TidemarkModel
import TidemarkJSON

/// An operation of RFC 6902 on `data`.
package struct PatchOperation: Hashable, Sendable {
    /// What an operation does at its path.
    package enum Change: Hashable, Sendable {
        /// Adds a value, given as JSON.
        case add([UInt8])
        /// Removes the value.
        case remove
        /// Replaces the value with another one, given as JSON.
        case replace([UInt8])
        /// Moves the value here from another path.
        case move(from: ResponsePath)
    }

    /// What the operation does.
    package var change: Change
    /// The path of the value.
    package var path: ResponsePath

    /// Creates an operation.
    package init(_ change: Change, at path: ResponsePath) {
        self.change = change
        self.path = path
    }

    /// Returns a path as a JSON Pointer.
    ///
    /// - Source: RFC 6901.
    package static func pointer(_ path: ResponsePath) -> ByteString {
        var text: [UInt8] = []
        for step in path {
            text.append(UInt8(ascii: "/"))
            switch step {
            case .index(let index): text += String(index).utf8
            case .name(let name):
                for byte in name.bytes {
                    switch byte {
                    case UInt8(ascii: "~"): text += "~0".utf8
                    case UInt8(ascii: "/"): text += "~1".utf8
                    default: text.append(byte)
                    }
                }
            }
        }
        return ByteString(text)
    }

    /// Appends the operation as a JSON object.
    package func append(to line: inout JSONLine) {
        line.object { line in
            switch change {
            case .add(let value):
                line.member("op", Optional("add" as ByteString))
                line.member("path", Optional(PatchOperation.pointer(path)))
                line.member("value", json: Optional(value))
            case .remove:
                line.member("op", Optional("remove" as ByteString))
                line.member("path", Optional(PatchOperation.pointer(path)))
            case .replace(let value):
                line.member("op", Optional("replace" as ByteString))
                line.member("path", Optional(PatchOperation.pointer(path)))
                line.member("value", json: Optional(value))
            case .move(let from):
                line.member("op", Optional("move" as ByteString))
                line.member("from", Optional(PatchOperation.pointer(from)))
                line.member("path", Optional(PatchOperation.pointer(path)))
            }
        }
    }
}

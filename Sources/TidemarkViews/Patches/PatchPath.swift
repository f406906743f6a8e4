/// Builds JSON Pointers for patches.
enum PatchPath {
    /// Returns a path to an element.
    static func element(_ path: [UInt8], _ index: Int) -> [UInt8] { path + [UInt8(ascii: "/")] + String(index).utf8 }

    /// Returns a path to a member.
    static func member(_ path: [UInt8], _ name: [UInt8]) -> [UInt8] {
        var path = path
        path.append(UInt8(ascii: "/"))
        for byte in name {
            switch byte {
            case UInt8(ascii: "~"): path += "~0".utf8
            case UInt8(ascii: "/"): path += "~1".utf8
            default: path.append(byte)
            }
        }
        return path
    }
}

/// A path as a list of names, with its device as another list.
///
/// - Source: Protocol/queries.md, "Scope".
package struct ReferencePath: Equatable {
    /// The names of the device, the tag first; nil without a device.
    package let device: [[UInt8]]?
    /// The names on the path, from the root.
    package let components: [[UInt8]]

    /// Reads a path.
    ///
    /// - Returns: nil if the value is not a path.
    package init?(_ value: ReferenceJSON) {
        if case .string(let text) = value {
            device = nil
            components = Self.components(text.unescaped)
            return
        }
        guard let tags = value.members, let tag = tags.last?.key.unescaped,
            tags.allSatisfy({ $0.key.unescaped == tag }), let fields = tags.last?.value,
            let path = Self.bytes(fields.member("path"))
        else { return nil }
        let names: [String]
        switch String(decoding: tag, as: UTF8.self) {
        case "Physical": names = ["device_slug"]
        case "Cloud": names = ["service", "identifier"]
        default: return nil
        }
        var device = [tag]
        for name in names {
            guard let part = Self.bytes(fields.member(name)) else { return nil }
            device.append(part)
        }
        self.device = device
        components = Self.components(path)
    }

    private static func bytes(_ value: ReferenceJSON?) -> [UInt8]? {
        guard case .string(let text)? = value else { return nil }
        return text.unescaped
    }

    private static func components(_ path: [UInt8]) -> [[UInt8]] {
        var path = path
        if isWindows(path) { path = path.map { $0 == 0x5C ? 0x2F : $0 } }
        return path.split(separator: 0x2F).map(Array.init).filter { $0 != [0x2E] }
    }

    private static func isWindows(_ path: [UInt8]) -> Bool {
        if path.starts(with: [0x5C, 0x5C]) { return true }
        guard path.count > 2 else { return false }
        let isLetter = (0x41...0x5A).contains(path[0]) || (0x61...0x7A).contains(path[0])
        return isLetter && path[1] == 0x3A && (path[2] == 0x5C || path[2] == 0x2F)
    }
}

import TidemarkJSON

/// A file-system path, split into components, and its device.
///
/// `/Photos/2024/`, `//Photos/./2024` and `Photos/2024` are the same path: a rule names the contents of a directory,
/// and there is only one root.
struct ScopePath: Hashable, Sendable {
    /// The device, encoded so that different devices have different bytes; nil if the path names none.
    let device: [UInt8]?
    /// The components, each after a slash; empty for the root. A component contains no slash.
    let components: [UInt8]

    /// Parses a path; nil if the value is neither a string, nor `{"Physical":{"device_slug","path"}}`, nor
    /// `{"Cloud":{"service","identifier","path"}}`.
    ///
    /// - Complexity: O(value.count).
    init?(_ value: Range<Int>, of bytes: UnsafeRawBufferPointer) {
        if let path = ScopePath.text(value, of: bytes) {
            self.init(device: nil, path: path)
            return
        }
        guard let tag = ScopePath.tag(value, of: bytes), let path = tag.fields.path else { return nil }
        if JSONText.isSpelling(tag.name, of: "Physical") {
            guard let slug = tag.fields.slug else { return nil }
            self.init(device: ScopePath.device([slug]), path: path)
        } else if JSONText.isSpelling(tag.name, of: "Cloud") {
            guard let service = tag.fields.service, let identifier = tag.fields.identifier else { return nil }
            self.init(device: ScopePath.device([service, identifier]), path: path)
        } else {
            return nil
        }
    }

    private init(device: [UInt8]?, path: [UInt8]) {
        self.device = device
        components = ScopePath.components(path)
    }

    /// Returns true if a path is inside this directory.
    ///
    /// - Parameter isRecursive: True to include the contents of subdirectories.
    func holds(_ path: ScopePath, isRecursive: Bool) -> Bool {
        // A directory without a device means that directory on every device.
        guard device == nil || device == path.device else { return false }
        let inner = path.components
        guard inner.count > components.count, inner.starts(with: components),
            inner[components.count] == UInt8(ascii: "/")
        else { return false }
        return isRecursive || !inner[(components.count + 1)...].contains(UInt8(ascii: "/"))
    }

    /// Encodes a device: each name after its length, so that different lists of names have different bytes.
    private static func device(_ names: [[UInt8]]) -> [UInt8] {
        var device: [UInt8] = []
        for name in names {
            withUnsafeBytes(of: UInt32(name.count).bigEndian) { device.append(contentsOf: $0) }
            device.append(contentsOf: name)
        }
        return device
    }

    private static func components(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let separatesAtBackslash = startsLikeWindows(path)
        var components: [UInt8] = []
        components.reserveCapacity(path.count + 1)
        var start = 0
        while start < path.count {
            var end = start
            while end < path.count, path[end] != slash, !(separatesAtBackslash && path[end] == backslash) { end += 1 }
            let isNothing = end == start || end == start + 1 && path[start] == UInt8(ascii: ".")
            if !isNothing {
                components.append(slash)
                components.append(contentsOf: path[start..<end])
            }
            start = end + 1
        }
        return components
    }

    private static let backslash = UInt8(ascii: "\\")

    /// Returns true if a path begins with `C:\`, `C:/` or `\\`. In other paths a backslash is part of a name.
    private static func startsLikeWindows(_ path: [UInt8]) -> Bool {
        guard path.count >= 2 else { return false }
        if path[0] == backslash, path[1] == backslash { return true }
        let letter = path[0] | 0x20
        return letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z") && path[1] == UInt8(ascii: ":")
            && path.count >= 3 && (path[2] == backslash || path[2] == UInt8(ascii: "/"))
    }
}

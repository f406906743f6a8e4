import TidemarkModel

/// An `http` or `https` URL in its normal form, without a fragment.
///
/// - Source: RFC 3986, sections 5.2 and 6.2.2; RFC 9110, section 4.2.3.
package struct HTTPURL: Hashable, Sendable {
    /// Why a text is not a usable URL.
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// It is longer than ``HTTPURL/byteCountMax``.
        case tooLong
        /// The scheme is not `http` or `https`.
        case scheme
        /// It contains user information, which may be credentials.
        case userInformation
        /// The host is missing or invalid.
        case host
        /// The port is not a number from 1 to 65535.
        case port
        /// It has a character that must be percent-encoded.
        case character

        /// A sentence that does not repeat the URL, because it may hold credentials.
        package var description: String {
            switch self {
            case .tooLong: "the URL is longer than \(HTTPURL.byteCountMax) bytes"
            case .scheme: "the URL is not of http or https"
            case .userInformation: "the URL has user information: pass credentials in the header Authorization"
            case .host: "the URL has no host that can be used"
            case .port: "the port of the URL is no number from 1 to 65535"
            case .character: "the URL has a character that must be percent-encoded"
            }
        }
    }

    /// True for `https`.
    package let isSecure: Bool
    /// The host in lowercase; an IPv6 address with its brackets.
    package let host: ByteString
    /// The port, which is 80 or 443 if the URL has none.
    package let port: Int
    /// The path and the query, in the form that is sent.
    package let target: ByteString
    /// The whole URL.
    package let text: ByteString

    /// The longest URL, in bytes: 64 KiB.
    package static let byteCountMax = 64 * 1024

    /// Parses a URL and puts it into its normal form.
    ///
    /// - Throws: ``Fault``.
    package init(_ text: ByteString) throws(Fault) {
        guard text.bytes.count <= HTTPURL.byteCountMax else { throw .tooLong }
        guard text.bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !HTTPURL.refused.contains($0) }) else {
            throw .character
        }
        guard let colon = text.bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .scheme }
        switch String(decoding: text.bytes[..<colon].map(ASCII.lowercased), as: UTF8.self) {
        case "http": isSecure = false
        case "https": isSecure = true
        default: throw .scheme
        }
        let rest = text.bytes[(colon + 1)...]
        guard rest.starts(with: Array("//".utf8)) else { throw .host }
        let end = rest.dropFirst(2).firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let authority = rest[(rest.startIndex + 2)..<end]
        guard !authority.contains(UInt8(ascii: "@")) else { throw .userInformation }
        (host, port) = try HTTPURL.authority(authority, isSecure: isSecure)
        let tail = rest[end...]
        let withoutFragment = tail[..<(tail.firstIndex(of: UInt8(ascii: "#")) ?? tail.endIndex)]
        target = HTTPURL.normalTarget(Array(withoutFragment))
        // Every step of a fetch needs the text, so it is assembled once.
        self.text = ByteString(HTTPURL.origin(isSecure, host, port) + target.bytes)
    }

    /// Compares the normal forms.
    package static func == (left: HTTPURL, right: HTTPURL) -> Bool { left.text == right.text }

    /// Hashes the normal form.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }

    private static let refused: Set<UInt8> = Set("\"<>\\^`{|}".utf8)

    private static func authority(_ bytes: ArraySlice<UInt8>, isSecure: Bool) throws(Fault) -> (ByteString, Int) {
        var host = bytes
        var portText: ArraySlice<UInt8>?
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .host }
            host = bytes[...close]
            let rest = bytes[(close + 1)...]
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { throw .host }
            portText = rest.isEmpty ? nil : rest.dropFirst()
            let address = host.dropFirst().dropLast()
            guard !address.isEmpty, address.allSatisfy({ isHex($0) || $0 == 0x3A || $0 == 0x2E }) else { throw .host }
        } else {
            if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
                host = bytes[..<colon]
                portText = bytes[(colon + 1)...]
            }
            guard !host.isEmpty, host.allSatisfy({ isUnreserved($0) || $0 == UInt8(ascii: "%") }) else { throw .host }
        }
        let standard = isSecure ? 443 : 80
        guard let portText, !portText.isEmpty else { return (ByteString(host.map(ASCII.lowercased)), standard) }
        guard let port = ASCII.number(portText, max: 65_536), 1...65_535 ~= port else { throw .port }
        return (ByteString(host.map(ASCII.lowercased)), Int(port))
    }

    /// Returns the path and the query with percent-encoding and dot segments in normal form.
    private static func normalTarget(_ bytes: [UInt8]) -> ByteString {
        let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        let path = removingDots(normalEscapes(bytes[..<mark]))
        return ByteString((path.isEmpty ? [UInt8(ascii: "/")] : path) + normalEscapes(bytes[mark...]))
    }

    /// Decodes the escapes of unreserved characters, and writes all others with uppercase digits.
    private static func normalEscapes(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = hex(bytes[index + 1]),
                let low = hex(bytes[index + 2])
            else {
                result.append(byte)
                index += 1
                continue
            }
            let value = high << 4 | low
            if isUnreserved(value) {
                result.append(value)
            } else {
                result += [byte, digit(high), digit(low)]
            }
            index += 3
        }
        return result
    }

    /// Resolves the segments `.` and `..` of a path.
    ///
    /// - Source: RFC 3986, section 5.2.4.
    private static func removingDots(_ path: [UInt8]) -> [UInt8] {
        guard path.contains(UInt8(ascii: ".")) else { return path }
        var output: [ArraySlice<UInt8>] = []
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if segment.elementsEqual(".".utf8) {
                if isLast { output.append([]) }
            } else if segment.elementsEqual("..".utf8) {
                if output.count > 1 { output.removeLast() }
                if isLast { output.append([]) }
            } else {
                output.append(segment)
            }
        }
        return Array(output.joined(separator: [UInt8(ascii: "/")]))
    }

    // MARK: Derived forms

    /// The scheme, host and port. URLs of one origin share credentials and can invalidate each other.
    package var origin: ByteString { ByteString(HTTPURL.origin(isSecure, host, port)) }

    private static func origin(_ isSecure: Bool, _ host: ByteString, _ port: Int) -> [UInt8] {
        let scheme = Array((isSecure ? "https://" : "http://").utf8)
        return port == (isSecure ? 443 : 80) ? scheme + host.bytes : scheme + host.bytes + Array(":\(port)".utf8)
    }

    /// Returns the URL of a reference in a response; nil if it is not usable.
    ///
    /// - Source: RFC 3986, section 5.2.2.
    package func resolving(_ reference: ByteString) -> HTTPURL? {
        let bytes = Array(ASCII.trimmed(reference.bytes[...]))
        let base = String(decoding: text.bytes, as: UTF8.self)
        let path = target.bytes[..<(target.bytes.firstIndex(of: UInt8(ascii: "?")) ?? target.bytes.endIndex)]
        let text: [UInt8]
        let head = bytes.prefix { !"/?#".utf8.contains($0) }
        if head.contains(UInt8(ascii: ":")) {
            text = bytes
        } else if bytes.starts(with: Array("//".utf8)) {
            text = Array(isSecure ? "https:".utf8 : "http:".utf8) + bytes
        } else if bytes.first == UInt8(ascii: "/") {
            text = origin.bytes + bytes
        } else if bytes.isEmpty || bytes.first == UInt8(ascii: "#") {
            text = Array(base.utf8)
        } else if bytes.first == UInt8(ascii: "?") {
            text = origin.bytes + path + bytes
        } else {
            let folder = path[...(path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]
            text = origin.bytes + folder + bytes
        }
        do throws(Fault) { return try HTTPURL(ByteString(text)) } catch { return nil }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func isHex(_ byte: UInt8) -> Bool { hex(byte) != nil }

    private static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
}

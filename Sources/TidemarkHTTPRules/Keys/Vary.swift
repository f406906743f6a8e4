import TidemarkModel

/// The request fields on which a response depends, from its `Vary`.
///
/// - Source: RFC 9110, section 12.5.5; RFC 9111, section 4.1.
package enum Vary: Hashable, Sendable {
    /// `*`, or an invalid list: no later request is known to be equivalent.
    case anything
    /// The names in lowercase, sorted, each once.
    case names([ByteString])

    /// The largest number of names. A longer list counts as `*`.
    package static let countMax = 100

    /// Reads the `Vary` of a response.
    package init(_ fields: HeaderFields) {
        guard let value = fields.combined("vary") else {
            self = .names([])
            return
        }
        var names: Set<ByteString> = []
        for member in ASCII.members(value.bytes) {
            guard !member.elementsEqual("*".utf8), member.allSatisfy(ASCII.isToken), names.count < Vary.countMax else {
                self = .anything
                return
            }
            names.insert(ByteString(member.map(ASCII.lowercased)))
        }
        self = .names(names.sorted())
    }

    /// Returns the names on which a response depends; empty for `*`.
    package static func names(of fields: HeaderFields) -> [ByteString] {
        if case .names(let names) = Vary(fields) { return names }
        return []
    }
}

/// The part of a request that selects among the responses of one URL, as hashes.
///
/// `Authorization` and `Cookie` always belong to it, so that a response to one user is never served to another. Values
/// are hashed with a salt of the data file, so that the disk reveals nothing about them.
package struct Variant: Hashable, Sendable {
    /// The hash of `Authorization` and `Cookie`.
    package let credentials: SHA256Digest
    /// The names in `Vary`, sorted.
    package let names: [ByteString]
    /// The hash of each value of the request, in the order of ``names``.
    package let values: [SHA256Digest]

    /// Creates a variant from its hashes.
    package init(credentials: SHA256Digest, names: [ByteString], values: [SHA256Digest]) {
        self.credentials = credentials
        self.names = names
        self.values = values
    }

    /// Hashes the selecting part of a request.
    ///
    /// - Parameters:
    ///   - request: The fields of the request.
    ///   - names: The names of ``Vary/names(of:)``.
    ///   - salt: The salt of the data file.
    package init(_ request: HeaderFields, names: [ByteString], salt: [UInt8]) {
        credentials = Variant.credentials(request, salt: salt)
        self.names = names
        values = Variant.values(request, names: names, salt: salt)
    }

    /// Returns the variant after the server has confirmed the response. If the confirmation has another `Vary`, the
    /// variant gets the values of the request that was confirmed.
    ///
    /// - Returns: nil if no later request may select the response.
    /// - Source: RFC 9111, sections 3.2, 4.1 and 4.3.4.
    package func confirmed(_ fields: HeaderFields, for request: HeaderFields, salt: [UInt8]) -> Variant? {
        guard case .names(let varied) = Vary(fields) else { return nil }
        return varied == names ? self : Variant(request, names: varied, salt: salt)
    }

    /// Hashes the values of a request, in the order of the names.
    package static func values(_ request: HeaderFields, names: [ByteString], salt: [UInt8]) -> [SHA256Digest] {
        names.map { hash(request, name: $0.description, salt: salt) }
    }

    /// True if a request selects the response.
    package func matches(_ request: HeaderFields, salt: [UInt8]) -> Bool {
        credentials == Variant.credentials(request, salt: salt)
            && zip(names, values).allSatisfy { Variant.hash(request, name: $0.description, salt: salt) == $1 }
    }

    /// Hashes `Authorization` and `Cookie` of a request.
    package static func credentials(_ request: HeaderFields, salt: [UInt8]) -> SHA256Digest {
        var bytes = salt
        for name in ["authorization", "cookie"] {
            let values = request.values(name)
            append(UInt64(values.count), to: &bytes)
            for value in values {
                append(UInt64(value.bytes.count), to: &bytes)
                bytes += value.bytes
            }
        }
        return SHA256Digest(of: bytes)
    }

    /// Returns a boundary between the parts of a response, which no body contains by chance and no server can predict.
    ///
    /// - Parameter number: The number of the stored response.
    package func boundary(_ number: Int64) -> String {
        var bytes = credentials.bytes
        for value in values { bytes += value.bytes }
        Variant.append(UInt64(bitPattern: number), to: &bytes)
        return "tidemark-" + SHA256Digest(of: bytes).hexadecimal.prefix(32)
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// The fields whose values are case-insensitive.
    private static let caseless: Set<String> = ["accept", "accept-charset", "accept-encoding", "accept-language"]

    /// Hashes the values of a name. Lines are joined and spaces around commas dropped, as RFC 9111, section 4.1 allows.
    private static func hash(_ request: HeaderFields, name: String, salt: [UInt8]) -> SHA256Digest {
        guard let value = request.combined(name) else { return SHA256Digest(of: salt + [0]) }
        var text = Array(ASCII.members(value.bytes).joined(separator: [UInt8(ascii: ",")]))
        if caseless.contains(name) { text = text.filter { !ASCII.isSpace($0) }.map(ASCII.lowercased) }
        return SHA256Digest(of: salt + [1] + text)
    }
}

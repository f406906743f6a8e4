import TidemarkModel

/// The request fields that an answer depends on.
///
/// - Source: RFC 9110, section 12.5.5; RFC 9111, section 4.1.
package enum Vary: Hashable, Sendable {
    /// `*`, or a list that cannot be read: no later request is known to be the same.
    case anything
    /// Names in lower case, sorted, each once.
    case names([ByteString])

    /// The largest number of names; a longer list counts as `*`.
    package static let countMax = 100

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

    /// Returns the names that an answer varies by; none for `*`.
    package static func names(of fields: HeaderFields) -> [ByteString] {
        if case .names(let names) = Vary(fields) { return names }
        return []
    }
}

/// The part of a request that decides between the answers of one URL, as hashes.
///
/// `Authorization` and `Cookie` always belong to it: an answer to one user is never an answer to another. Values are
/// hashed with a salt of the data file, so that the disk tells nothing of them.
package struct Variant: Hashable, Sendable {
    /// The hash of `Authorization` and `Cookie`.
    package let credentials: SHA256Digest
    /// The names in `Vary` and the hash of each value of the request, in the order of the names.
    package let names: [ByteString]
    package let values: [SHA256Digest]

    package init(credentials: SHA256Digest, names: [ByteString], values: [SHA256Digest]) {
        self.credentials = credentials
        self.names = names
        self.values = values
    }

    /// - Parameter names: Of ``Vary/names(_:)``.
    package init(_ request: HeaderFields, names: [ByteString], salt: [UInt8]) {
        credentials = Variant.credentials(request, salt: salt)
        self.names = names
        values = Variant.values(request, names: names, salt: salt)
    }

    /// Returns what decides after the server confirmed the answer for a request, with fields that may bring another
    /// `Vary`: the values of that request, which the confirmation was for.
    ///
    /// - Returns: nil when no later request is known to select the answer.
    /// - Source: RFC 9111, sections 3.2, 4.1 and 4.3.4.
    package func confirmed(_ fields: HeaderFields, for request: HeaderFields, salt: [UInt8]) -> Variant? {
        guard case .names(let varied) = Vary(fields) else { return nil }
        return varied == names ? self : Variant(request, names: varied, salt: salt)
    }

    /// Hashes the values of a request, in the order of the names.
    package static func values(_ request: HeaderFields, names: [ByteString], salt: [UInt8]) -> [SHA256Digest] {
        names.map { hash(request, name: $0.description, salt: salt) }
    }

    /// Tells whether a request selects the answer.
    package func matches(_ request: HeaderFields, salt: [UInt8]) -> Bool {
        credentials == Variant.credentials(request, salt: salt)
            && zip(names, values).allSatisfy { Variant.hash(request, name: $0.description, salt: salt) == $1 }
    }

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

    /// Returns a text that no body has by chance, and that no server can know: it separates the parts of an answer.
    ///
    /// - Parameter number: The number of the stored answer.
    package func boundary(_ number: Int64) -> String {
        var bytes = credentials.bytes
        for value in values { bytes += value.bytes }
        Variant.append(UInt64(bitPattern: number), to: &bytes)
        return "tidemark-" + SHA256Digest(of: bytes).hexadecimal.prefix(32)
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Fields whose values mean the same in another case.
    private static let caseless: Set<String> = ["accept", "accept-charset", "accept-encoding", "accept-language"]

    /// Hashes the values of a name. Lines are joined and spaces around commas dropped, as RFC 9111, section 4.1 allows.
    private static func hash(_ request: HeaderFields, name: String, salt: [UInt8]) -> SHA256Digest {
        guard let value = request.combined(name) else { return SHA256Digest(of: salt + [0]) }
        var text = Array(ASCII.members(value.bytes).joined(separator: [UInt8(ascii: ",")]))
        if caseless.contains(name) { text = text.filter { !ASCII.isSpace($0) }.map(ASCII.lowercased) }
        return SHA256Digest(of: salt + [1] + text)
    }
}

import TidemarkModel
import TidemarkViews

/// Reads a JWK Set and checks everything in it that can make a signature worthless.
///
/// Members of a key that say nothing about its value, such as certificates, are ignored, as RFC 7517 asks for.
enum KeyFileParser {
    /// One key of a file.
    struct Entry {
        let place: String
        let name: ByteString?
        let value: KeyValue
    }

    /// Parses a file.
    static func entries(_ json: [UInt8]) throws(TokenKeyError) -> [Entry] {
        guard json.count <= TokenKeySet.fileByteCountMax else {
            throw TokenKeyError("", "has more than \(TokenKeySet.fileByteCountMax) bytes; remove keys")
        }
        let node: RuleNode
        do { node = try RuleNode(text: json, name: "the file of keys") } catch {
            throw TokenKeyError(error.place, error.what)
        }
        guard let keys = member("keys", of: node) else {
            throw TokenKeyError("", "is not a JWK Set; write {\"keys\": [{\"kty\": …}]}")
        }
        guard case .array(let elements) = keys, 1...TokenKeySet.keyCountMax ~= elements.count else {
            throw TokenKeyError("/keys", "is not an array of 1 to \(TokenKeySet.keyCountMax) keys")
        }
        var entries: [Entry] = []
        for (index, element) in elements.enumerated() {
            let entry = try entry(element, at: "/keys/\(index)")
            guard entry.name != nil || elements.count == 1 else {
                throw TokenKeyError(entry.place, "has no kid, which every one of several keys needs; name it")
            }
            if let other = entries.first(where: { $0.name == entry.name }) {
                throw TokenKeyError("\(entry.place)/kid", "is also the name of \(other.place); give each key its own")
            }
            entries.append(entry)
        }
        return entries
    }

    private static func entry(_ node: RuleNode, at place: String) throws(TokenKeyError) -> Entry {
        guard case .object = node else { throw TokenKeyError(place, "is not an object; write {\"kty\": …}") }
        guard let type = try text("kty", of: node, at: place) else {
            throw TokenKeyError("\(place)/kty", "is missing; write oct, RSA, EC or OKP")
        }
        let name = try text("kid", of: node, at: place)
        if name?.isEmpty == true { throw TokenKeyError("\(place)/kid", "is empty; name the key, or leave it out") }
        try checkUse(node, at: place)
        let material = KeyMaterial(node: node, place: place)
        let (value, algorithm) = try material.value(type: type)
        if let wanted = try text("alg", of: node, at: place), wanted != algorithm.rawValue {
            throw TokenKeyError(
                "\(place)/alg", "is not \(algorithm.rawValue), the only algorithm here for a key of type \(type)")
        }
        return Entry(place: place, name: name.map { ByteString($0) }, value: value)
    }

    /// Refuses keys that are for something else than verifying, and private ones.
    private static func checkUse(_ node: RuleNode, at place: String) throws(TokenKeyError) {
        if let use = try text("use", of: node, at: place), use != "sig" {
            throw TokenKeyError(
                "\(place)/use", "says that the key is not for signatures; leave out keys whose use is not sig")
        }
        if let operations = member("key_ops", of: node) {
            guard case .array(let names) = operations,
                names.contains(where: { if case .string(Array("verify".utf8)) = $0 { true } else { false } })
            else { throw TokenKeyError("\(place)/key_ops", "does not have verify; leave out keys for anything else") }
        }
        guard member("d", of: node) == nil else {
            throw TokenKeyError(
                "\(place)/d",
                "makes this a private key, with which whoever reads the file can sign tokens; write the"
                    + " public key alone")
        }
    }

    // MARK: Members

    /// Returns the value of a member, null included; nil without one.
    static func member(_ name: String, of node: RuleNode) -> RuleNode? {
        guard case .object(let members) = node else { return nil }
        return members.first { $0.name == Array(name.utf8) }?.value
    }

    /// Returns the text of a string; nil without the member.
    static func text(_ name: String, of node: RuleNode, at place: String) throws(TokenKeyError) -> String? {
        guard let value = member(name, of: node) else { return nil }
        guard case .string(let text) = value else { throw TokenKeyError("\(place)/\(name)", "is not a string") }
        return String(decoding: text, as: UTF8.self)
    }
}

import TidemarkModel

/// Writes one JSON value, member by member. Stored resources are embedded unchanged.
///
/// A general encoder would parse every resource and print it again, and could not keep `1.10` or a number above 2^53.
///
/// Every string passes through ``text(_:)``, so a line is UTF-8 whatever bytes came from outside.
package struct JSONLine: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []
    /// True if the next value needs a comma before it, because its container already has one.
    private var needsComma = false

    /// Creates an empty writer.
    package init() {}

    /// Writes an object; `members` writes its members.
    package mutating func object(_ members: (inout JSONLine) -> Void) {
        open("{")
        members(&self)
        close("}")
    }

    /// Writes an array; `elements` writes its elements.
    package mutating func array(_ elements: (inout JSONLine) -> Void) {
        open("[")
        elements(&self)
        close("]")
    }

    /// Writes a member's name. The caller writes the value next.
    package mutating func name(_ name: ByteString) {
        separate()
        append(quoted: name.bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member that is a whole number.
    package mutating func member(_ name: ByteString, _ value: some BinaryInteger) {
        self.name(name)
        self.value(value)
    }

    /// Writes a member that is `true` or `false`.
    package mutating func member(_ name: ByteString, _ value: Bool) {
        self.name(name)
        raw(value ? "true" : "false")
    }

    /// Writes a member that is a sequence; nil is written as null.
    package mutating func member(_ name: ByteString, _ value: EventSequence?) {
        self.name(name)
        raw(value.map { String($0.rawValue) } ?? "null")
    }

    /// Writes a member that is a string; nil is written as null.
    package mutating func member(_ name: ByteString, _ value: ByteString?) {
        self.name(name)
        guard let value else { return raw("null") }
        self.value(value)
    }

    /// Writes a member whose value is already JSON; nil is written as null.
    package mutating func member(_ name: ByteString, json value: [UInt8]?) {
        self.name(name)
        guard let value else { return raw("null") }
        self.value(json: value)
    }

    /// Writes a member as a number with three decimals, without conversion to `Double`.
    package mutating func member(_ name: ByteString, thousandths value: Int64) {
        self.name(name)
        let decimals = String(value % 1_000 + 1_000).dropFirst()
        raw("\(value / 1_000).\(decimals)")
    }

    /// Writes an element that is a whole number.
    package mutating func value(_ value: some BinaryInteger) { raw(String(value)) }

    /// Writes an element that is a string.
    package mutating func value(_ value: ByteString) {
        separate()
        append(quoted: value.bytes)
        needsComma = true
    }

    /// Writes an element that is already JSON, on one line.
    package mutating func value(json value: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: value)
        needsComma = true
    }

    private mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        separate()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    /// Returns a string as UTF-8.
    ///
    /// Bytes that are not UTF-8 are read as Latin-1, which has a character for every byte. Old servers and file systems
    /// send it, and no byte is lost.
    package static func text(_ value: ByteString) -> ByteString {
        guard value.bytes.contains(where: { $0 >= 0x80 }), String(validating: value.bytes, as: UTF8.self) == nil else {
            return value
        }
        return ByteString(String(String.UnicodeScalarView(value.bytes.map { Unicode.Scalar($0) })))
    }

    private mutating func append(quoted raw: [UInt8]) {
        CanonicalString.append(JSONLine.text(ByteString(raw)).bytes, to: &bytes)
    }
}

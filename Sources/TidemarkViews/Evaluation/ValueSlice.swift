import TidemarkStore

/// A value inside the bytes of a resource or a row. Shares the bytes.
struct ValueSlice {
    let bytes: [UInt8]
    let range: Range<Int>

    /// The whole of some bytes.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        range = 0..<bytes.count
    }

    /// The value at a pointer; nil if there is none.
    init?(_ bytes: [UInt8], at pointer: RulePointer) {
        guard let range = bytes.withUnsafeBytes({ pointer.value(in: $0) }) else { return nil }
        self.bytes = bytes
        self.range = range
    }

    /// The value of a resource at a pointer; nil if there is none.
    init?(_ resource: OutlinedResource, at pointer: RulePointer) {
        guard let range = resource.range(at: pointer) else { return nil }
        bytes = resource.bytes
        self.range = range
    }

    /// The value as written.
    var text: ArraySlice<UInt8> { bytes[range] }

    var isNull: Bool { bytes[range.lowerBound] == UInt8(ascii: "n") }

    /// The code that decides equality.
    var exactCode: [UInt8] { bytes.withUnsafeBytes { ValueCode.exact(range, of: $0) } }

    /// Appends the code that decides equality.
    func appendExact(to code: inout [UInt8]) {
        bytes.withUnsafeBytes { ValueCode.appendExact(range, of: $0, to: &code) }
    }

    /// Appends the code that orders a value; nil stands for an absent one.
    static func appendOrdered(_ value: ValueSlice?, to code: inout [UInt8]) {
        guard let value else {
            code.append(ValueCode.missing)
            return
        }
        value.bytes.withUnsafeBytes { ValueCode.appendOrdered(value.range, of: $0, to: &code) }
    }
}

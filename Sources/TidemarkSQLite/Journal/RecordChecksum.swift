import TidemarkModel

/// The checksum of a small record of numbers and names, as its row stores it.
struct RecordChecksum {
    private var bytes: [UInt8] = []

    mutating func add(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ value: Int64?) {
        bytes.append(value == nil ? 0 : 1)
        add(value ?? Int64(0))
    }

    mutating func add(_ text: ByteString?) {
        bytes.append(text == nil ? 0 : 1)
        add(Int64(text?.bytes.count ?? 0))
        bytes.append(contentsOf: text?.bytes ?? [])
    }

    /// XXH64 of all added values, in order.
    var value: Int64 {
        Int64(bitPattern: bytes.withUnsafeBytes { Checksum.xxh64($0) })
    }
}

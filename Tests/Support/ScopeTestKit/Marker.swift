/// Markers: every value and every id of the oracle's entities contains one, so that a leak shows in the bytes of a
/// line.
package enum Marker {
    /// The numbers of all markers, `X17X`, in some bytes.
    package static func all(in bytes: some Sequence<UInt8>) -> Set<Int> {
        var found: Set<Int> = []
        var number: Int?
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "X"):
                if let number, number > 0 { found.insert(number) }
                number = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if let value = number { number = value * 10 + Int(byte - UInt8(ascii: "0")) }
            default: number = nil
            }
        }
        return found
    }
}

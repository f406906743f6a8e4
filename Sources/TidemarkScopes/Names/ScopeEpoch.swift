import TidemarkModel

/// The epoch of one delivered state: where it begins in the log of its scope. Numbers are counted from there.
///
/// On the wire it is opaque: a random part, the beginning masked with an HMAC of it, and a code over both. Nobody can
/// make one for another scope, another log or an earlier beginning.
package struct ScopeEpoch: Hashable, Sendable {
    /// The first position that the state has. Nothing from before is ever sent under the epoch.
    let base: ScopePosition
    /// The epoch as it is on the wire.
    package let text: ByteString

    /// Makes the epoch of a new state.
    ///
    /// - Parameters:
    ///   - log: The name of the log, see ``ScopeLog/identity``.
    ///   - nonce: A random number that no other state has.
    init(base: ScopePosition, log: [UInt8], nonce: UInt64, _ secret: ScopeSecret) {
        let nonce = ScopeSecret.bytes(nonce)
        let masked = ScopeEpoch.masked(base.rawValue, log, nonce, secret)
        self.base = base
        let code = secret.code("epoch", [log, nonce, masked]).prefix(12)
        text = ByteString(ScopeSecret.hex(nonce + masked + code))
    }

    /// Reads an epoch that a client names.
    ///
    /// - Returns: nil if it was not made for this log.
    init?(_ text: ByteString, log: [UInt8], _ secret: ScopeSecret) {
        guard let bytes = ScopeEpoch.bytes(text), bytes.count == 24 else { return nil }
        let nonce = Array(bytes[..<8])
        let masked = Array(bytes[8..<12])
        let code = secret.code("epoch", [log, nonce, masked]).prefix(12)
        // Every byte is compared, so that the time does not tell how many are right.
        guard zip(code, bytes[12...]).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { return nil }
        let base = masked.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        self.base = ScopePosition(base ^ ScopeEpoch.mask(log, nonce, secret))
        self.text = text
    }

    private static func masked(_ base: UInt32, _ log: [UInt8], _ nonce: [UInt8], _ secret: ScopeSecret) -> [UInt8] {
        Array(ScopeSecret.bytes(UInt64(base ^ mask(log, nonce, secret))).suffix(4))
    }

    private static func mask(_ log: [UInt8], _ nonce: [UInt8], _ secret: ScopeSecret) -> UInt32 {
        secret.code("mask", [log, nonce]).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func bytes(_ text: ByteString) -> [UInt8]? {
        guard text.bytes.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: text.bytes.count, by: 2) {
            guard let high = digit(text.bytes[index]), let low = digit(text.bytes[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    // MARK: Numbers

    /// The number of a position in this epoch.
    func number(of position: ScopePosition) -> ScopeNumber {
        ScopeNumber(unit: position.rawValue - base.rawValue + 1)
    }

    /// The position at which a client with a number is; nil inside the state, whose delivery then begins anew.
    func position(of number: ScopeNumber) -> ScopePosition? {
        guard number.unit > 0, number.unit - 1 <= .max - base.rawValue else { return nil }
        return ScopePosition(base.rawValue + number.unit - 1)
    }
}

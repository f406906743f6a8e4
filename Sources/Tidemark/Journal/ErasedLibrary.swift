import TidemarkModel

/// The name of a library in a data file from which it was erased.
///
/// Libraries are numbered without gaps, so the record of an erased library stays, without its name.
package enum ErasedLibrary {
    private static let prefix: [UInt8] = [0] + Array("erased ".utf8)

    /// Returns a name that no other library has.
    ///
    /// - Parameter random: 64 random bits.
    package static func name(_ random: UInt64) -> ByteString {
        ByteString(prefix + Array(String(random, radix: 16).utf8))
    }

    /// Returns true for the name of an erased library, which no listing shows.
    package static func isName(_ name: ByteString) -> Bool { name.bytes.starts(with: prefix) }
}

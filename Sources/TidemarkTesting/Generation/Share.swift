/// A part of a whole, in millionths, so that no rounding of a `Double` changes what a seed generates.
///
/// ```swift
/// print(Share(partsPerMillion: 10_000) == Share(text: "1%"))  // true
/// ```
public struct Share: Hashable, Comparable, Sendable {
    /// The share in millionths, 0 … 1,000,000.
    public let partsPerMillion: Int

    /// How many millionths the whole has: 1,000,000.
    public static let whole = 1_000_000
    /// Nothing of the whole.
    public static let none = Share(partsPerMillion: 0)

    /// Makes a share.
    ///
    /// - Parameter partsPerMillion: 0 … 1,000,000; anything else traps.
    public init(partsPerMillion: Int) {
        precondition(
            (0...Share.whole).contains(partsPerMillion), "\(partsPerMillion) is no part of \(Share.whole)")
        self.partsPerMillion = partsPerMillion
    }

    /// Parses `0.01` or `1%`, with at most six significant digits after the point of the fraction.
    ///
    /// - Returns: nil for anything else, and for more than the whole.
    public init?(text: String) {
        var digits = Substring(text)
        var decimalCount = 6
        if digits.last == "%" {
            digits.removeLast()
            decimalCount = 4
        }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !digits.isEmpty else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard (parts.count == 1 || !fraction.isEmpty), fraction.count <= decimalCount, whole.count <= 3,
            (whole + fraction).utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let value = Int(whole + fraction + String(repeating: "0", count: decimalCount - fraction.count)),
            value <= Share.whole
        else { return nil }
        self.init(partsPerMillion: value)
    }

    /// Orders shares by size.
    public static func < (left: Share, right: Share) -> Bool {
        left.partsPerMillion < right.partsPerMillion
    }
}

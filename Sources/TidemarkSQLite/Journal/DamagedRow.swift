import TidemarkModel

/// A stored entity, or a dictionary, that failed its check and is treated as absent.
public struct DamagedRow: Hashable, Sendable, CustomStringConvertible {
    /// Whose row it is; nil for a dictionary, or when the key cannot be read.
    public var key: EntityKey?
    /// Its number in the table `entities`, or `dictionaries` when ``isDictionary``.
    public var row: Int64
    /// A dictionary failed, and with it every row that was compressed with it.
    public var isDictionary: Bool
    /// What the check found.
    public var fault: PayloadFault

    public init(key: EntityKey?, row: Int64, isDictionary: Bool = false, fault: PayloadFault) {
        self.key = key
        self.row = row
        self.isDictionary = isDictionary
        self.fault = fault
    }

    /// One line for people; the key in it is not made printable.
    public var description: String {
        let name =
            key.map { "entity \($0.text) of library \"\($0.library)\"" } ?? (isDictionary ? "dictionary" : "entity")
        return "\(name), row \(row): \(fault.rawValue)"
    }
}

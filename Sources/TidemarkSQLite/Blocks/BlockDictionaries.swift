import TidemarkStore

/// The dictionaries of a file, by type for writing and by number for reading.
struct BlockDictionaries {
    /// The dictionary that new blocks of a type use.
    var byType: [TypeIndex: PayloadDictionary] = [:]
    /// Every dictionary, for reading.
    var byNumber: [Int64: PayloadDictionary] = [:]
}

extension BlockDictionaries {
    /// Creates both tables.
    ///
    /// - Parameter dictionaries: Every dictionary of a file, by number. The newest one of a type has the highest.
    init(_ dictionaries: [Int64: PayloadDictionary]) {
        byNumber = dictionaries
        for (_, dictionary) in dictionaries.sorted(by: { $0.key < $1.key }) { byType[dictionary.type] = dictionary }
    }
}

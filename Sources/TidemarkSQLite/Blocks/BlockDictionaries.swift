import TidemarkStore

/// The dictionaries of a file, in the forms that writing and reading blocks need.
struct BlockDictionaries {
    /// The dictionary that new blocks of a type use.
    var byType: [TypeIndex: PayloadDictionary] = [:]
    /// Every dictionary, for reading.
    var byNumber: [Int64: PayloadDictionary] = [:]
}

extension BlockDictionaries {
    /// - Parameter dictionaries: Every dictionary of a file, by number; the newest one of a type has the highest.
    init(_ dictionaries: [Int64: PayloadDictionary]) {
        byNumber = dictionaries
        for (_, dictionary) in dictionaries.sorted(by: { $0.key < $1.key }) { byType[dictionary.type] = dictionary }
    }
}

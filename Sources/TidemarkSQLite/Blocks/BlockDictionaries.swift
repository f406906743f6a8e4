import TidemarkStore

/// The dictionaries of a file, in the forms that writing and reading blocks need.
struct BlockDictionaries {
    /// The dictionary that new blocks of a type use.
    var byType: [TypeIndex: PayloadDictionary] = [:]
    /// Every dictionary, for reading.
    var byNumber: [Int64: PayloadDictionary] = [:]
}

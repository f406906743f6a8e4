import TidemarkStore

/// Finds the newest version of a key in the blocks of a data file.
protocol BlockLocator: AnyObject {
    func hash(_ key: BlockKey) -> KeyHash

    /// Returns the location of a key's newest version; nil for a key without one.
    ///
    /// - Throws: ``SQLiteError`` when the file cannot be read.
    func location(of hash: KeyHash) throws -> BlockIndex.Location?

    /// Waits until a running change of the index has ended.
    func waitForPublication()
}

extension BlockLocator {
    func hash(_ key: StoredKey) -> KeyHash { key.withBlockKey { hash($0) } }
}

extension BlockIndex: BlockLocator {}

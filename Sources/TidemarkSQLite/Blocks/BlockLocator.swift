import TidemarkStore

/// Finds the newest version of a key in the blocks of a data file.
protocol BlockLocator: AnyObject {
    func hash(_ key: BlockKey) -> KeyHash

    /// - Returns: nil for a key without a version.
    /// - Throws: ``SQLiteFailure`` when the file cannot be read.
    func location(of hash: KeyHash) throws -> BlockIndex.Location?

    /// Waits until places that are about to change have changed.
    func waitForPublication()
}

extension BlockLocator {
    func hash(_ key: StoredKey) -> KeyHash { key.withBlockKey { hash($0) } }
}

extension BlockIndex: BlockLocator {}

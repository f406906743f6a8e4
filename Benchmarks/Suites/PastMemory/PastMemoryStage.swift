import TidemarkTesting

/// A stage of the suite: what a series of lines does to a store.
enum PastMemoryStage: String, CaseIterable {
    /// Creates entities.
    case load
    /// Replacing updates, every entity equally likely.
    case uniform
    /// Replacing updates, 80 % of them on 20 % of the entities.
    case skewed
    /// Replacing updates, as many as there are entities, with all work that a store does in the background.
    case steady
    /// Replacing updates while the files are dropped from the page cache.
    case cold
    /// Updates that merge some fields, with `metadata`.
    case merging
    /// Replacing updates of entities that are in a list.
    case listed
    /// Replacing updates of entities with a pending edit.
    case layered

    /// The number of lines for a store of `entityCount` entities.
    func lineCount(of entityCount: Int) -> Int {
        switch self {
        case .load, .steady: entityCount
        case .uniform, .skewed: entityCount / 4
        case .cold, .merging: entityCount / 8
        case .listed, .layered: min(entityCount / 8, 50 * PastMemoryStage.markedCount)
        }
    }

    /// The number of entities in lists, which is also the number of entities with an edit.
    static let markedCount = 1_000

    /// Whether RocksDB can run the stage. It has neither lists nor layers, and merges only with a function that its
    /// user writes.
    var isCompared: Bool {
        switch self {
        case .load, .uniform, .skewed, .steady, .cold: true
        case .merging, .listed, .layered: false
        }
    }

    /// Returns the index of the entity that a line of the stage is about.
    func entity(_ line: Int, of entityCount: Int, _ random: inout SeededGenerator) -> Int {
        switch self {
        case .load: return line
        case .uniform, .steady, .cold, .merging: return random.below(entityCount)
        case .skewed:
            let isHot = random.below(10) < 8
            return random.below(isHot ? max(1, entityCount / 5) : entityCount)
        case .listed: return PastMemoryLines.marked(random.below(PastMemoryStage.markedCount), of: entityCount)
        case .layered: return PastMemoryLines.marked(random.below(PastMemoryStage.markedCount), of: entityCount) + 1
        }
    }
}

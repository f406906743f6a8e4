/// The blocks of a file as an opening found them.
struct OpenedBlocks: Sendable {
    var state = BlockIndex.State()
    var planner: MergePlanner
    var removals = RemovalLedger()
    var damage = BlockStore.Damage()
    /// Whether everything was made again from the directories of all blocks.
    var isRebuilt = false
    /// The highest number that a block ever had.
    var lastNumber: Int64 = 0
    /// The last block that each stored segment knows.
    var throughs = Array(repeating: Int64(0), count: KeyPlaceIndex.segmentCount)
    /// The blocks with damage, by their numbers, when everything was made again: some of their entities are lost.
    var damagedBlocks: [Int64] = []

    init(_ limits: MergePlanner.Limits) { planner = MergePlanner(limits) }
}

/// The result of opening a file of blocks.
struct OpenedBlocks: Sendable {
    var state = BlockIndex.State()
    var planner: MergePlanner
    var removals = RemovalLedger()
    var damage = BlockStore.Damage()
    /// True if everything was rebuilt from the directories of all blocks.
    var isRebuilt = false
    /// The highest number that a block ever had.
    var lastNumber: Int64 = 0
    /// The last block that each stored segment includes.
    var throughs = Array(repeating: Int64(0), count: KeyPlaceIndex.segmentCount)
    /// The numbers of damaged blocks, some of whose entities are lost; empty unless everything was rebuilt.
    var damagedBlocks: [Int64] = []

    init(_ limits: MergePlanner.Limits) { planner = MergePlanner(limits) }
}

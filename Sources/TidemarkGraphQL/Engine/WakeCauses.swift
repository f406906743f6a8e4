import TidemarkModel
import TidemarkStore

/// The fields of one entity that a watcher reads, as numbers of its plan's collections.
struct WantedFields {
    /// The first collection; most entities are read with only one.
    private let first: Int
    private var others: [Int] = []

    init(_ collection: Int) { first = collection }

    mutating func add(_ collection: Int) {
        guard collection != first, !others.contains(collection) else { return }
        others.append(collection)
    }

    /// True if at least one of the names is among the fields.
    ///
    /// - Complexity: O(names).
    func contains(oneOf names: [ByteString], of plan: OperationPlan) -> Bool {
        let fields = plan.storageNames(of: first)
        if names.contains(where: { fields.contains($0) }) { return true }
        return others.contains { other in
            let fields = plan.storageNames(of: other)
            return names.contains { fields.contains($0) }
        }
    }
}

/// The changes since a watcher was run.
struct WakeCauses {
    /// How many entities with changed fields are recorded: 64. Beyond that the document is read again, which then costs
    /// no more.
    static let fieldCountMax = 64

    /// The entities that existed before and after the change, with the names of their changed fields.
    private(set) var fields: [(handle: ListHandle, names: [ByteString])] = []
    /// True if something else changed, too: the document has to be read again.
    private(set) var isWhole = false

    mutating func add(_ names: [ByteString], of handle: ListHandle) {
        guard fields.count < WakeCauses.fieldCountMax else { return addWhole() }
        fields.append((handle, names))
    }

    mutating func addWhole() {
        isWhole = true
        fields = []
    }
}

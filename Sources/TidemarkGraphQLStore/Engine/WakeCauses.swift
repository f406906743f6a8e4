import TidemarkModel
import TidemarkStore

/// The fields of one entity that a watcher wants, as numbers of collections of its plan.
struct WantedFields {
    /// An entity has one place in most documents, and is read with one set of fields in nearly all.
    private let first: Int
    private var others: [Int] = []

    init(_ collection: Int) { first = collection }

    mutating func add(_ collection: Int) {
        guard collection != first, !others.contains(collection) else { return }
        others.append(collection)
    }

    /// Tells whether one of some fields is wanted.
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
    /// The entities of which only some fields changed are told apart up to this number: 64. Past it the document is
    /// read again, which costs no more by then.
    static let fieldCountMax = 64

    /// Entities that are there before and after, with the names of their fields that changed.
    private(set) var fields: [(handle: ListHandle, names: [ByteString])] = []
    /// Something else changed, too: the document has to be read again.
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

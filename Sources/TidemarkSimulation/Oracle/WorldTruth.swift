/// The complete state that a cache must show at one moment.
package struct WorldTruth: Sendable {
    /// The libraries by name.
    package var libraries: [String: LibraryTruth]
    /// The layers, oldest first, including those that are only possible.
    package var layers: [LayerTruth] = []

    /// Creates the state of a cache that has received nothing.
    package init(libraries: [String]) {
        self.libraries = Dictionary(uniqueKeysWithValues: libraries.map { ($0, LibraryTruth()) })
    }

    /// Returns an entity of the base with layers applied.
    ///
    /// - Parameter pending: The pending ids of the layers to apply, in order.
    package func visible(_ base: ItemFields?, id: String, library: String, pending: [String]) -> ItemFields? {
        var fields = base
        for name in pending {
            guard let layer = layers.first(where: { $0.pendingID == name && $0.library == library }) else { continue }
            for change in layer.changes where change.id == id { fields = change.operation.applied(to: fields) }
        }
        return fields
    }

    /// Removes the layers that have settled, and marks those that may have.
    package mutating func settleLayers() {
        for (name, library) in libraries {
            layers.removeAll { layer in
                guard layer.library == name else { return false }
                if library.settledMutations.contains(layer.pendingID) { return true }
                guard !library.hasLeft, let awaited = layer.awaited, let cursor = library.cursor else { return false }
                return cursor >= awaited
            }
            for index in layers.indices where layers[index].library == name {
                if library.doubtfulMutations.contains(layers[index].pendingID) { layers[index].isCertain = false }
                guard library.hasLeft, layers[index].awaited != nil else { continue }
                // The layer waits for a position in a log that ended: the first write of the new log settles it.
                layers[index].isCertain = false
                layers[index].awaited = nil
            }
        }
    }

    /// Compares the layers with the pending edits that the cache reports, and keeps those that are possible.
    ///
    /// - Parameter mayComeLater: The pending ids of layers that may still be added.
    /// - Returns: The violation in words; nil if there is none.
    package mutating func follow(pending: [String], mayComeLater: Set<String>) -> String? {
        let known = layers.map(\.pendingID)
        if let stranger = pending.first(where: { !known.contains($0) }) {
            return "layer \(stranger) should not exist (L2)"
        }
        let placed = layers.filter(\.isPlaced).map(\.pendingID)
        guard placed.filter({ pending.contains($0) }) == pending.filter({ placed.contains($0) }) else {
            return "layers \(pending) are not in their order \(placed) (L2)"
        }
        if let missing = layers.first(where: { $0.isCertain && !pending.contains($0.pendingID) }) {
            return "layer \(missing.pendingID) is gone (L2)"
        }
        layers.removeAll { !pending.contains($0.pendingID) && !mayComeLater.contains($0.pendingID) }
        // A layer that waited for the disk was added when the disk answered.
        let waiting = layers.filter { !pending.contains($0.pendingID) }
        layers = pending.compactMap { name in layers.first { $0.pendingID == name } } + waiting
        for index in layers.indices where index < pending.count { layers[index].isPlaced = true }
        return nil
    }
}

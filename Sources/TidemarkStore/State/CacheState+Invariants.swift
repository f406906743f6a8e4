extension CacheState {
    /// Traps when entities, or queries and their reverse index, contradict each other.
    ///
    /// - Complexity: O(entities + queries + elements).
    package func checkInvariants() {
        entities.checkInvariants()
        queries.checkInvariants()
        checkLayers()
        precondition(!queries.unit.isOpen, "a unit was left open")
        precondition(queries.unit.touched.isEmpty && queries.unit.olds.isEmpty, "a unit left something behind")
    }

    /// Law L2: what is seen of a layered entity is its base, folded.
    private func checkLayers() {
        for (handle, overlay) in layers.overlays {
            let key = queries.keys.key(of: handle)
            precondition(queries.keys.isLayered(handle), "key \(handle) has layers and does not know it")
            var value = withIdentity(key) { entities.find($0) }.map { Array(entities.payload(of: $0)) }
            for touch in overlay.touches {
                guard let layer = layers.layers[touch.layer] else {
                    preconditionFailure("a change of layer \(touch.layer), which is gone")
                }
                precondition(layer.changes[touch.change].key == key, "a change of another entity")
                value = LayerFold.apply(layer.changes[touch.change], to: value)
            }
            precondition(value == overlay.visible, "key \(handle) does not show what its layers make of it (L2)")
        }
    }

    /// Keys that lists, observers and slow observers name. Bounded by what they hold.
    package var namedKeyCount: Int { queries.keys.count }
}

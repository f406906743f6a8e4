import TidemarkModel

extension CacheState {
    /// Stops the program if entities, queries, layers or the reverse index contradict each other.
    ///
    /// No input reaches it: only tests and the simulation call this.
    ///
    /// - Complexity: O(entities + queries + elements).
    package func checkInvariants() {
        entities.checkInvariants()
        queries.checkInvariants()
        checkLayers()
        checkKeptLists()
        precondition(!queries.recorder.isOpen, "a unit was left open")
        precondition(queries.recorder.isClean, "a unit left something behind")
    }

    /// Checks law L2: the visible value of a layered entity is its base with the layers folded in.
    ///
    /// No input reaches it: only tests and the simulation call this.
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

    /// Checks that every kept list equals a new read of the list.
    ///
    /// No input reaches it: only tests and the simulation call this.
    private func checkKeptLists() {
        var byteCount = 0
        for query in queries.keptLists {
            let entry = queries[query]
            guard let kept = entry.kept else { preconditionFailure("query \(entry.number) is not kept, but listed") }
            var ids: [ByteString] = []
            var resources: [[UInt8]] = []
            var slots: [SlotIndex] = []
            entry.list.forEachNode { node in
                guard ids.count < entry.shownCountMax, entry.list.isShown(node) else { return }
                let handle = entry.list.handle(of: node)
                let key = queries.keys.key(of: handle)
                ids.append(key.id.text)
                resources.append(withPayload(of: handle) { Array($0) } ?? [])
                if let index = withIdentity(key, { entities.find($0) }) { slots.append(index) }
                precondition(completeness(of: handle) == .whole, "query \(entry.number) keeps parts of entities")
            }
            precondition(
                kept.keys.map(\.id) == ids && kept.resources == resources && kept.slots == slots,
                "query \(entry.number) is kept as it is not")
            byteCount += kept.byteCount
        }
        precondition(
            byteCount == queries.keptListByteCount && byteCount <= queries.keptListByteCountMax
                && Set(queries.keptLists).count == queries.keptLists.count
                && queries.keptLists.count <= QueryIndex.keptListCountMax, "kept lists are miscounted")
    }

    /// How many keys are named by lists, observers and lagging observers. What these hold bounds it.
    package var namedKeyCount: Int { queries.keys.count }

    /// How many lists are kept as they were read, how many bytes these take, and how many lists are not built yet.
    package var listCounts: (keptCount: Int, keptByteCount: Int, unbuiltCount: Int) {
        (queries.keptLists.count, queries.keptListByteCount, queries.unbuiltCount)
    }
}

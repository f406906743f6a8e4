import TidemarkModel

/// Settles layers when events are applied.
extension CacheState {
    /// Settles the layer whose mutation an applied event names, and those that waited for the event's sequence.
    ///
    /// This is part of the event's unit, so that observers see no intermediate state.
    ///
    /// - Parameter creation: What the event showed, before it was applied, about the entities that the edit added.
    mutating func settle(
        by view: EventView, _ creation: Creation?, in library: LibraryIndex, at now: Int64
    ) {
        settleNamed(by: view, creation, in: library, at: now)
        if let sequence = view.event.sequence { dropReached(sequence, in: library, at: now) }
        dropLayersOfEndedLog(at: now)
    }

    /// Settles the layer whose mutation an event names.
    mutating func settleNamed(
        by view: EventView, _ creation: Creation?, in library: LibraryIndex, at now: Int64
    ) {
        guard let text = view.text(view.event.mutationID), let layer = layers.layer(named: ByteString(text)),
            layer.library == library
        else { return }
        if let (id, type) = creation?.renaming { rename(id, as: type, in: library, at: now) }
        // Later requests of the key may name an entity whose real id only the response can supply.
        if creation?.isOpen == true { layers.noteUnanswered(layer) }
        // The renaming may have changed the layers.
        drop(layers.group(of: layers.layers[layer.number] ?? layer), at: now)
    }

    /// Returns true if an event may change several entities.
    func isMulti(_ view: EventView, in library: LibraryIndex) -> Bool {
        view.event.memberCount > 1 || maySettle(by: view, in: library)
            || view.event.kind == .deleted && cascadingType(of: view) != nil
            || view.event.mayEndState && libraries[library].gate.isInState
    }

    /// Returns true if an event may settle layers. Several entities may change then, whatever the event names.
    func maySettle(by view: EventView, in library: LibraryIndex) -> Bool {
        guard !layers.isEmpty else { return false }
        if !view.event.mutationID.isAbsent { return true }
        let generation = libraries[library].gate.generation
        if layers.isAwaitingOther(generation, in: library) { return true }
        return view.event.sequence.map { layers.reached($0, generation: generation, in: library) != nil } ?? false
    }

    /// Settles the layer that an event names, if the event touches no entity and is outside of its library's log.
    mutating func settleUnsequenced(by view: EventView, at now: Int64) {
        let name = view.string(view.event.library) ?? configuration.defaultLibrary
        guard !view.event.mutationID.isAbsent, let library = libraries.index(of: name) else { return }
        let creation = creation(in: view, in: library)
        beginUnit(isMulti: true)
        settle(by: view, creation, in: library, at: now)
        endUnit(at: now)
    }

    /// Settles layers that waited for a library's cursor, which may have moved without an event.
    mutating func settleReached(in library: LibraryIndex, at now: Int64) {
        let generation = libraries[library].gate.generation
        guard let cursor = cursor(of: library),
            layers.reached(cursor, generation: generation, in: library) != nil
        else { return }
        beginUnit(isMulti: true)
        dropReached(cursor, in: library, at: now)
        endUnit(at: now)
    }

    mutating func dropReached(_ cursor: EventSequence, in library: LibraryIndex, at now: Int64) {
        let generation = libraries[library].gate.generation
        while let number = layers.reached(cursor, generation: generation, in: library),
            let layer = layers.layers[number]
        {
            drop([layer], at: now)
        }
    }

    /// Records that the server wrote a layered entity. This settles confirmed layers that wait for a place in an ended
    /// log, because nothing else would.
    mutating func noteEndedLog(_ handle: ListHandle, by stamp: EntityStamp) {
        switch stamp.writer {
        case .event, .answer, .document: noteEndedLog(handle, generation: stamp.generation)
        case .transaction, .confirmation: break
        }
    }

    mutating func noteEndedLog(_ handle: ListHandle, generation: UInt32) {
        // A late event settles only the layer that it names.
        guard queries.keys.isLayered(handle), queries.recorder.lateSequence == nil else { return }
        queries.recorder.noteEnded(layers.layersOfEndedLog(over: handle, generation: generation))
    }

    mutating func dropLayersOfEndedLog(at now: Int64) {
        let ended = queries.recorder.removeEndedLayers()
        if !ended.isEmpty { drop(ended.compactMap { layers.layers[$0] }, at: now) }
    }
}

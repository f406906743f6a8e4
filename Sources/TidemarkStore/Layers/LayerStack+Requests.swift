import TidemarkModel

/// The groups of layers that one request serves, and temporary ids in inputs.
extension LayerStack {
    /// Returns a layer and those whose inputs its request has, oldest first.
    func group(of layer: Layer) -> [Layer] {
        [layer] + requests.members(of: layer.pendingID).compactMap { layers[$0] }
    }

    /// Lets the other layers of a group send their own requests: the layer that sent for them is being removed.
    ///
    /// - Parameter removed: The layers that are removed with it.
    mutating func releaseGroup(of layer: Layer, except removed: Set<Int64>) {
        for number in requests.members(of: layer.pendingID) where !removed.contains(number) {
            changeSending(number) { $0.sentWith = nil }
        }
    }

    /// Replaces a temporary id in the inputs of the requests of a library that name it and have not left.
    ///
    /// - Parameters:
    ///   - temporary: The temporary id, canonical.
    ///   - json: The real id as a JSON value.
    ///   - concerns: Tells whether a layer names the entity that is renamed.
    mutating func renameInputs(
        _ temporary: ByteString, to json: [UInt8], in library: LibraryIndex, where concerns: (Layer) -> Bool
    ) {
        for number in requests.naming(temporary, in: library) {
            guard let layer = layers[number], layer.sending?.attemptCount == 0, concerns(layer) else { continue }
            changeSending(number) { $0.rename(temporary, to: json) }
        }
    }

    // MARK: What left

    /// Returns the request that a layer sends, and the changes that it is sent with: as they left, once they have.
    func outgoing(_ layer: Layer) -> (request: MutationRequest, changes: [LayerChange])? {
        if let sent = sent[layer.number] { return (sent.request, sent.changes) }
        let group = group(of: layer)
        guard let request = group.last?.sending?.request else { return nil }
        return (request, group.flatMap(\.changes))
    }

    /// Keeps the request of a layer as it left, before the layer changes.
    mutating func keepSent(_ layer: Layer) {
        guard let sending = layer.sending, sending.attemptCount > 0, sent[layer.number] == nil,
            let (request, changes) = outgoing(layer)
        else { return }
        let number = takeNumber()
        sent.keep(SentRequests.Sent(number: number, request: request, changes: changes), of: layer.number)
    }

    /// Keeps the requests that serve several layers: each of these may be rolled back by itself.
    mutating func keepSentGroups() {
        for layer in all where requests.hasMembers(layer.pendingID) { keepSent(layer) }
    }

    /// Takes over a request as it left, which the journal has.
    mutating func restoreSent(_ record: LayerRecord) {
        noteNumber(record.number)
        guard let layer = layer(named: record.pendingID), layer.library == record.library, layer.sending != nil,
            let request = record.sending?.request, sent[layer.number] == nil
        else { return sent.removeRow(record.number) }
        sent.keep(
            SentRequests.Sent(number: record.number, request: request, changes: record.changes, hasRow: true),
            of: layer.number)
    }
}

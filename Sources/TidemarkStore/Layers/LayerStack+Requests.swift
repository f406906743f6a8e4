import TidemarkModel

/// Groups of layers that share one request, and temporary ids in the inputs of requests.
extension LayerStack {
    /// Returns a layer and the layers that its request also serves, oldest first.
    func group(of layer: Layer) -> [Layer] {
        [layer] + requests.members(of: layer.pendingID).compactMap { layers[$0] }
    }

    /// Makes the other layers of a group send their own requests, because the layer that sent for them is being
    /// removed.
    ///
    /// - Parameters:
    ///   - layer: The layer that sent for the group.
    ///   - removed: The layers that are removed together with it.
    mutating func releaseGroup(of layer: Layer, except removed: Set<Int64>) {
        for number in requests.members(of: layer.pendingID) where !removed.contains(number) {
            changeSending(number) { $0.sentWith = nil }
        }
    }

    /// Replaces a temporary id in the inputs of a library's requests that were not sent yet.
    ///
    /// - Parameters:
    ///   - temporary: The temporary id, canonical.
    ///   - json: The real id as a JSON value.
    ///   - concerns: Returns true if a layer names the renamed entity.
    mutating func renameInputs(
        _ temporary: ByteString, to json: [UInt8], in library: LibraryIndex, where concerns: (Layer) -> Bool
    ) {
        for number in requests.naming(temporary, in: library) {
            guard let layer = layers[number], layer.sending?.attemptCount == 0, concerns(layer) else { continue }
            changeSending(number) { $0.rename(temporary, to: json) }
        }
    }

    // MARK: What left

    /// Returns a layer's request and the changes it is sent with; once they were sent, exactly as they were sent.
    func outgoing(_ layer: Layer) -> (request: MutationRequest, changes: [LayerChange])? {
        if let sent = sent[layer.number] { return (sent.request, sent.changes) }
        let group = group(of: layer)
        guard let request = group.last?.sending?.request else { return nil }
        return (request, group.flatMap(\.changes))
    }

    /// Keeps a layer's request as it was sent, before the layer changes.
    mutating func keepSent(_ layer: Layer) {
        guard let sending = layer.sending, sending.attemptCount > 0, sent[layer.number] == nil,
            let (request, changes) = outgoing(layer)
        else { return }
        let number = takeNumber()
        sent.keep(SentRequests.Sent(number: number, request: request, changes: changes), of: layer.number)
    }

    /// Keeps the requests that serve several layers, because each of these layers may be rolled back by itself.
    mutating func keepSentGroups() {
        for layer in all where requests.hasMembers(layer.pendingID) { keepSent(layer) }
    }

    /// Restores a request as it was sent, from its record in the journal.
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

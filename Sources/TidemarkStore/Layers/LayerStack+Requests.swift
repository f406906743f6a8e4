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

    /// Replaces a temporary id in the inputs of all requests of a library that name it.
    ///
    /// - Parameters:
    ///   - temporary: The temporary id, canonical.
    ///   - json: The real id as a JSON string.
    mutating func renameInputs(_ temporary: ByteString, to json: [UInt8], in library: LibraryIndex) {
        for number in requests.naming(temporary, in: library) {
            changeSending(number) { $0.rename(temporary, to: json) }
        }
    }
}

import TidemarkModel
import TidemarkStore

/// Reads the layers of a file that is being replaced. Servers can send everything else again, but not pending edits.
enum LayerSalvage {
    /// Returns the layers that pass their checks, with the names that they need, numbered anew.
    ///
    /// - Parameter file: A file with any kind of damage. Nothing is written to it.
    /// - Returns: At most ``/TidemarkModel/Limits/layerCountCeiling`` layers and
    ///   ``/TidemarkModel/Limits/layerByteCountMax`` bytes; empty when none can be read.
    static func layers(of file: DataFilePath) -> FlushBatch {
        var layers: [LayerRecord] = []
        var beside = FlushBatch()
        var names = LayerNames()
        var generations: [ByteString: UInt32] = [:]
        do {
            guard let connection = SalvageSource.open(file)?.connection else { return FlushBatch() }
            try withExtendedLifetime(connection) {
                generations = currentGenerations(connection.handle)
                try read(connection.handle, &names, &layers, &beside)
            }
        } catch {
            // The layers that were read before the error are sound, because each row has its own checksum.
        }
        var flush = beside
        flush.newLibraries = names.newLibraries
        flush.newTypes = names.newTypes
        flush.layers = layers.map { layer in
            var layer = layer
            let name = names.newLibraries[Int(layer.library)].name
            // The log of the new file has generation 0. A layer that waited for an earlier log continues to.
            let isOver = generations[name].map { $0 != layer.awaitedGeneration } ?? false
            layer.awaitedGeneration = isOver ? .max : 0
            return layer
        }
        return flush
    }

    private static func read(
        _ connection: OpaquePointer, _ names: inout LayerNames, _ layers: inout [LayerRecord],
        _ beside: inout FlushBatch
    ) throws {
        let limits = Limits()
        var byteCount = 0
        var seen: Set<ByteString> = []
        try LayerTable.forEach(connection, &names) { row in
            switch row {
            case .damaged: break
            case .record(let layer):
                guard seen.insert(layer.pendingID).inserted else { break }
                byteCount += layer.changes.reduce(0) { $0 + $1.byteCount }
                guard layers.count < Limits.layerCountCeiling, byteCount <= limits.layerByteCountMax else {
                    return false
                }
                layers.append(layer)
            case .sent(let request):
                byteCount += request.changes.reduce(0) { $0 + $1.byteCount }
                guard beside.sentRequests.count < Limits.layerCountCeiling, byteCount <= limits.layerByteCountMax
                else { return false }
                beside.sentRequests.append(request)
            case .renaming(let renaming):
                if beside.renamings.count < Renamings.countMax { beside.renamings.append(renaming) }
            }
            return true
        }
    }

    /// Returns the current generation of each library; empty when the libraries cannot be read.
    private static func currentGenerations(_ connection: OpaquePointer) -> [ByteString: UInt32] {
        do {
            let records = try LibraryTable.read(connection)
            return Dictionary(records.map { ($0.name, $0.generation) }, uniquingKeysWith: { first, _ in first })
        } catch {
            // Without the generations, every layer counts as waiting for the current log.
            return [:]
        }
    }
}

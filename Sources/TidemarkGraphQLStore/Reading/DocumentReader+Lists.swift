import TidemarkModel

/// Lists, and the fields that deferred fragments leave out.
extension DocumentReader {
    /// Reads the elements of a list.
    mutating func list(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ field: CollectedField, _ context: FieldContext,
        _ limits: FieldLimits
    ) throws(GraphMiss) {
        let place = reading.lists.count
        var keys: [GraphKey?] = []
        var hasKeys = false
        if options.notesEntities { reading.lists.append(EntityList(offset: data.count, keys: [])) }
        data.append(UInt8(ascii: "["))
        // The elements of a list are as old as the list.
        let inside = context.insideList
        try StoredScan.forEachElement(of: range, of: bytes) { (index, element) throws(GraphMiss) in
            if index > 0 { data.append(UInt8(ascii: ",")) }
            path.append(.index(index))
            defer { path.removeLast() }
            let key = reference(element, of: bytes, field)
            if options.notesEntities { keys.append(key?.key) }
            if let key, let set = field.set {
                hasKeys = true
                try entity(key, set: set, reached: limits.inner, operationAge: limits.operationAge)
            } else {
                try value(element, of: bytes, field, inside, limits)
            }
        }
        data.append(UInt8(ascii: "]"))
        guard options.notesEntities else { return }
        if hasKeys { reading.lists[place].keys = keys } else { reading.lists.remove(at: place) }
    }

    /// Removes the fields that only missing fragments have.
    mutating func leaveOut(
        _ missing: Set<Int>, _ collection: Collection, _ ranges: [(field: Int, start: Int)], from start: Int
    ) {
        reading.isPartial = true
        var kept: [UInt8] = [UInt8(ascii: "{")]
        let inside = reading.lists.partitioningIndex { $0.offset >= start }
        var lists: [EntityList] = []
        for (place, range) in ranges.enumerated() {
            let deferrals = collection.fields[range.field].deferrals
            if !deferrals.isEmpty, deferrals.allSatisfy({ missing.contains($0) }) { continue }
            let end = place + 1 < ranges.count ? ranges[place + 1].start : data.count
            var bytes = data.bytes(in: range.start..<end)[...]
            if bytes.first == UInt8(ascii: ",") { bytes = bytes.dropFirst() }
            if kept.count > 1 { kept.append(UInt8(ascii: ",")) }
            for list in reading.lists[inside...] where bytes.indices.contains(list.offset - range.start) {
                lists.append(
                    EntityList(
                        offset: start + kept.count + list.offset - range.start - bytes.startIndex, keys: list.keys))
            }
            kept.append(contentsOf: bytes)
        }
        reading.lists.replaceSubrange(inside..., with: lists)
        data.truncate(to: start)
        data.append(kept)
    }
}

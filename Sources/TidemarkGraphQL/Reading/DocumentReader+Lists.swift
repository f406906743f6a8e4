import TidemarkModel

/// Reading lists.
extension DocumentReader where Source: ~Escapable {
    /// Reads the elements of a list.
    mutating func list(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ field: CollectedField, _ context: FieldContext,
        _ limits: FieldLimits
    ) throws(DocumentMiss) {
        let place = reading.lists.count
        var keys: [GraphQLKey?] = []
        var hasKeys = false
        if options.notesEntities { reading.lists.append(EntityList(offset: data.count, keys: [])) }
        data.append(UInt8(ascii: "["))
        // The elements of a list have the age of the list.
        let inside = context.insideList
        try StoredScan.forEachElement(of: range, of: bytes) { (index, element) throws(DocumentMiss) in
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
}
